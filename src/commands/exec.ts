import { CloudCommand } from '#cli/command/cloud-command';
import { personFlags, projectFlags } from '#cli/flags/project-flags';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

export default class Exec extends CloudCommand {
  static override summary = 'Run a program beside an agent and a platform of its own, which end with it.';
  static override description =
    'Both listen on free ports of loopback, and the platform begins empty. The program finds them in SERVICE_AGENT_URL, SERVICE_AGENT_TOKEN, SERVICE_MCP_URL, SERVICE_MCP_TOKEN, SERVICE_SERVER_URL, SERVICE_AUTH_TOKEN and SERVICE_ENV_SECRET. The exit code is the one of the program. Under --json what the program prints goes to stderr.';
  static override usage = 'exec [FLAGS] -- <program> [argument …]';
  static override examples = [
    '<%= config.bin %> exec -- npm test',
    '<%= config.bin %> exec --as role:support -- node --test',
  ];
  static override strict = false;
  static override flags = { ...projectFlags, ...personFlags };

  override async run(): Promise<void> {
    const { flags, argv } = await this.parse(Exec);
    const words = argv.map(String);
    if (words.length === 0) throw programMissing();
    const { terminal, environment, interrupted, handOverSignals } = this.invocation;
    const context = await this.createContext();
    const { exec } = await import('#flows/run/exec');
    const { developerOf } = await import('#cli/invocation/developer');
    try {
      const result = await exec(context, {
        words,
        folder: flags.project ?? context.workingFolder,
        as: flags.as,
        developer: await developerOf(context),
        signal: interrupted,
        output: terminal.isJson ? 'stderr' : 'stdout',
        // Ctrl-C in a terminal reaches the program as well, so that it must not get it twice.
        onStarted: (program) =>
          handOverSignals((signal) => {
            if (signal !== 'SIGINT' || !environment.isInputTerminal) program.send(signal);
          }),
      });
      environment.setExitCode(result.exitCode);
      if (terminal.isJson) terminal.json(result);
    } finally {
      await context.http.close();
    }
  }
}

function programMissing(): CloudError {
  return cloudError(
    'USAGE_INVALID',
    'There is no program to run.',
    'Name it behind two dashes: vendor-cloud exec -- npm test',
  );
}
