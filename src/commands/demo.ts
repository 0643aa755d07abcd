import { string } from '@oclif/core/args';
import { CloudCommand } from '#cli/cloud-command';
import { runDevSession } from '#cli/dev-session';
import { portFlags, portWishes } from '#cli/project-flags';
import { demo } from '#flows/demo/demo';

export default class Demo extends CloudCommand {
  static override summary = 'Create the sample shop, if it is not there yet, and serve it.';
  static override examples = ['<%= config.bin %> demo', '<%= config.bin %> demo my-shop --json'];
  static override args = { directory: string({ description: 'Folder of the sample project.', default: 'demo' }) };
  static override flags = portFlags;

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(Demo);
    const context = this.createContext();
    await runDevSession(this.session, context, (session) =>
      demo(context, { ...session, directory: args.directory, ports: portWishes(flags) }),
    );
  }
}
