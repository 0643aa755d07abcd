import { string } from '@oclif/core/args';
import { CloudCommand } from '#cli/command/cloud-command';
import { portFlags, portWishes } from '#cli/flags/project-flags';

export default class Demo extends CloudCommand {
  static override summary = 'Create the sample shop, if it is not there yet, and serve it.';
  static override examples = ['<%= config.bin %> demo', '<%= config.bin %> demo my-shop --json'];
  static override args = { directory: string({ description: 'Folder of the sample project.', default: 'demo' }) };
  static override flags = portFlags;

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(Demo);
    const context = await this.createContext();
    const { demo } = await import('#flows/dev/demo');
    const { runDev } = await import('#cli/foreground/run-dev');
    await runDev(this.invocation, context, (session) =>
      demo(context, { ...session, directory: args.directory, ports: portWishes(flags) }),
    );
  }
}
