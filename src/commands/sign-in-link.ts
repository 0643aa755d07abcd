import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class SignInLink extends CloudCommand {
  static override summary = 'Make a link that signs your browser in at the local platform, once and within a minute.';
  static override description =
    'Asks the "dev" or "sandbox" that serves the project; in its terminal the key "o" does the same. The link works only in browsers of this machine. Prints only the link on stdout.';
  static override examples = ['<%= config.bin %> sign-in-link', '<%= config.bin %> sign-in-link --json'];
  static override flags = { ...projectFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(SignInLink);
    const context = await this.createContext();
    const { makeSignInLink } = await import('#flows/sign-in/make-sign-in-link');
    const { renderSignInLink } = await import('#cli/rendering/render-sign-in');
    this.present(await makeSignInLink(context, flags.project ?? context.workingFolder), renderSignInLink);
  }
}
