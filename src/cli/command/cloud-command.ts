import path from 'node:path';
import { Command } from '@oclif/core/command';
import { boolean } from '@oclif/core/flags';
import type { Input, ParserOutput } from '@oclif/core/interfaces';
import { cloudError } from '#kernel/errors/cloud-error';
import type { CliContext } from '../invocation/cli-context.ts';
import { type Invocation, invocationOf } from '../invocation/invocation.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { wrapResult } from '../terminal/wrap-text.ts';
import { refuseCredentials } from './refuse-credentials.ts';

type Values = Record<string, unknown>;

/**
 * The base of every command: a context, a terminal and the common flags. A command parses, calls one flow and hands the
 * result over to be shown; it neither prints nor catches.
 *
 * A command imports statically what its flags need, and nothing else. Its work begins with `createContext`; it imports
 * its flow and its renderer after that, by `import()`, so that a mistyped flag is refused at once.
 */
export abstract class CloudCommand extends Command {
  static override baseFlags = {
    json: boolean({ summary: 'Print one JSON object instead of text.', env: 'SERVICE_JSON', helpGroup: 'GLOBAL' }),
    debug: boolean({
      summary: 'Print the stack and the causes of an error.',
      env: 'SERVICE_DEBUG',
      helpGroup: 'GLOBAL',
    }),
    color: boolean({
      summary: 'Use colours.',
      env: 'SERVICE_COLOR',
      helpGroup: 'GLOBAL',
      allowNo: true,
      default: true,
    }),
  };

  /** Ends what watches how much of the processor the command gets. */
  #endWatch = (): void => undefined;

  protected get invocation(): Invocation {
    return invocationOf(this.config);
  }

  /**
   * The arguments and flags of the command. None of the names among them is a credential, and the folder of the project is there.
   *
   * `argv` holds the words in the order in which they were typed. The parser's own list puts equal words side by side.
   */
  protected override async parse<Flags extends Values, Base extends Values, Args extends Values>(
    options?: Input<Flags, Base, Args>,
    words?: string[],
  ): Promise<ParserOutput<Flags, Base, Args>> {
    const parsed = await super.parse(options, words);
    refuseCredentials(parsed);
    const { project } = parsed.flags;
    if (typeof project === 'string') await refuseMissingFolder(project, this.invocation.environment.workingFolder);
    return { ...parsed, argv: parsed.raw.flatMap(({ type, input }) => (type === 'arg' ? [input] : [])) };
  }

  /**
   * Where the work of a command begins.
   *
   * @param timeoutMs how long the platform may put the command off, where the command has a `--timeout`.
   */
  protected async createContext(timeoutMs?: number): Promise<CliContext> {
    const { createContext } = await import('../invocation/cli-context.ts');
    const { createTerminalReporter } = await import('../rendering/terminal-reporter.ts');
    const { tellBusyMachine } = await import('../invocation/tell-busy-machine.ts');
    const { environment, terminal } = this.invocation;
    const reporter = createTerminalReporter(terminal, {
      canAnimate: environment.isErrorTerminal && terminal.style.hasColor && !environment.variables['CI'],
      workingFolder: environment.workingFolder,
    });
    this.#endWatch = tellBusyMachine(reporter);
    return createContext(this.invocation, reporter, timeoutMs);
  }

  protected override async finally(error: Error | undefined): Promise<void> {
    this.#endWatch();
    await super.finally(error);
  }

  /** Show a result: as one object under `--json`, else as `render` puts it. */
  protected present<Result>(result: Result, render: (result: Result, terminal: Terminal) => string): void {
    const { terminal } = this.invocation;
    if (terminal.isJson) terminal.json(result);
    else terminal.result(wrapResult(render(result, terminal), terminal.resultColumns));
  }
}

/**
 * Refuses a folder of a project that is not there, before anything is looked for in it or above it.
 *
 * @param folder as `--project` names it.
 * @throws `USAGE_INVALID`
 */
async function refuseMissingFolder(folder: string, workingFolder: string): Promise<void> {
  const { nodeFileSystem } = await import('#node/files/node-file-system');
  const place = path.resolve(workingFolder, folder);
  if (await nodeFileSystem.isFolder(place)) return;
  const isThere = await nodeFileSystem.exists(place);
  throw cloudError(
    'USAGE_INVALID',
    isThere ? `${place} is not a folder.` : `The folder ${place} does not exist.`,
    'Name the folder of a project with --project or SERVICE_PROJECT, or leave both out inside a project.',
  );
}
