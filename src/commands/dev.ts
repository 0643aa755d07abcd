import { boolean } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { agentLogFlags, debuggerFlags, otherPlatform, otherPlatformFlags } from '#cli/flags/dev-flags';
import { personFlags, portFlags, portWishes, projectFlags } from '#cli/flags/project-flags';

export default class Dev extends CloudCommand {
  static override summary = 'Serve the project on this machine and hot-swap its code on every save.';
  static override description =
    'Starts the local platform, the agent and the MCP server on loopback. Under --json every event is one line. Stop it with Ctrl-C.';
  static override examples = [
    '<%= config.bin %> dev',
    '<%= config.bin %> dev --json --agent-port 0',
    '<%= config.bin %> dev --as role:support',
    '<%= config.bin %> dev --remote https://platform.example.com --as bob@example.com',
    '<%= config.bin %> dev --once --json',
    '<%= config.bin %> dev --inspect',
    '<%= config.bin %> dev --level info --grep orders',
  ];
  static override flags = {
    ...projectFlags,
    ...portFlags,
    ...personFlags,
    ...agentLogFlags,
    ...otherPlatformFlags,
    ...debuggerFlags,
    once: boolean({
      summary: 'Build, start, have every server answer, and stop: the exit code tells whether the project serves.',
      env: 'SERVICE_ONCE',
    }),
    typecheck: boolean({
      summary: 'Check types beside the build, with the TypeScript of the project.',
      env: 'SERVICE_TYPECHECK',
      default: true,
      allowNo: true,
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Dev);
    const context = await this.createContext();
    const { dev } = await import('#flows/dev/dev');
    const { agentLogFilter } = await import('#cli/rendering/render-log-lines');
    const { runDev } = await import('#cli/foreground/run-dev');
    const { openInspector } = await import('#cli/flags/dev-flags');
    if (flags.inspect) await openInspector(flags['inspect-port']);
    await runDev(
      this.invocation,
      context,
      (session) =>
        dev(context, {
          ...session,
          as: flags.as,
          remote: otherPlatform(flags),
          shouldCheckTypes: flags.typecheck,
          shouldWaitForFix: session.shouldWaitForFix && !flags.once,
          isOnce: flags.once,
          isDebugged: flags.inspect,
          logs: agentLogFilter(flags),
          folder: flags.project ?? context.workingFolder,
          ports: portWishes(flags),
        }),
      flags.once,
    );
  }
}
