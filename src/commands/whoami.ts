import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags, serverFlags } from '#cli/flags/project-flags';

export default class WhoAmI extends CloudCommand {
  static override summary = 'Show who commands are carried out as, and where the token comes from.';
  static override description = 'Warns when there are several tokens, and names the one that wins.';
  static override examples = ['<%= config.bin %> whoami', '<%= config.bin %> whoami --json'];
  static override flags = { ...projectFlags, ...serverFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(WhoAmI);
    const context = await this.createContext();
    const { whoAmI } = await import('#flows/sign-in/who-am-i');
    const { renderWhoAmI } = await import('#cli/rendering/render-sign-in');
    const folder = flags.project ?? context.workingFolder;
    this.present(await whoAmI(context, { folder, serverUrl: flags['server-url'] }), renderWhoAmI);
  }
}
