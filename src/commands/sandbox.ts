import { integer } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { portWish, projectFlags } from '#cli/flags/project-flags';

export default class Sandbox extends CloudCommand {
  static override summary = 'Serve only the local platform of the project, for an agent that you start yourself.';
  static override description =
    'It listens on loopback, keeps everything in .vendor-cloud/platform.sqlite, and whoever starts it is an administrator. "dev" has it built in. Stop it with Ctrl-C.';
  static override examples = ['<%= config.bin %> sandbox', '<%= config.bin %> sandbox --json --port 0'];
  static override flags = {
    ...projectFlags,
    port: integer({
      summary: 'Port of the local platform (default 3310; 0 takes any free one).',
      env: 'SERVICE_PORT',
      min: 0,
      max: 65_535,
      helpValue: '<port>',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Sandbox);
    const context = await this.createContext();
    const { runSandbox } = await import('#cli/foreground/run-sandbox');
    const folder = flags.project ?? context.workingFolder;
    await runSandbox(this.invocation, context, { folder, port: portWish(flags.port, 3310, '--port') });
  }
}
