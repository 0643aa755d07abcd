import { boolean } from '@oclif/core/flags';
import { CloudCommand } from '#cli/cloud-command';
import { runDevSession } from '#cli/dev-session';
import { personFlags, portFlags, portWishes, projectFlags } from '#cli/project-flags';
import { dev } from '#flows/dev/dev';

export default class Dev extends CloudCommand {
  static override summary = 'Serve the project on this machine and hot-swap its code on every save.';
  static override description =
    'Starts the local platform, the agent and the MCP server on loopback. Under --json every event is one line. Stop it with Ctrl-C.';
  static override examples = [
    '<%= config.bin %> dev',
    '<%= config.bin %> dev --json --agent-port 0',
    '<%= config.bin %> dev --as role:support',
  ];
  static override flags = {
    ...projectFlags,
    ...portFlags,
    ...personFlags,
    typecheck: boolean({
      summary: 'Check types beside the build, with the TypeScript of the project.',
      env: 'SERVICE_TYPECHECK',
      default: true,
      allowNo: true,
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Dev);
    const context = this.createContext();
    await runDevSession(this.session, context, (session) =>
      dev(context, {
        ...session,
        as: flags.as,
        shouldCheckTypes: flags.typecheck,
        folder: flags.project ?? context.workingFolder,
        ports: portWishes(flags),
      }),
    );
  }
}
