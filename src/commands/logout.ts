import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags, serverFlags } from '#cli/flags/project-flags';

export default class Logout extends CloudCommand {
  static override summary = 'Sign out of a platform: the kept token is worth nothing from then on.';
  static override examples = ['<%= config.bin %> logout'];
  static override flags = { ...projectFlags, ...serverFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Logout);
    const context = await this.createContext();
    const { logout } = await import('#flows/sign-in/logout');
    const { renderLogout } = await import('#cli/rendering/render-sign-in');
    const folder = flags.project ?? context.workingFolder;
    this.present(await logout(context, { folder, serverUrl: flags['server-url'] }), renderLogout);
  }
}
