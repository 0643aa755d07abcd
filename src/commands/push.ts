import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/cloud-command';
import { projectFlags } from '#cli/project-flags';
import { renderPush } from '#cli/render-results';
import { push } from '#flows/push/push';

export default class Push extends CloudCommand {
  static override summary = 'Build the project and upload it as a new version.';
  static override examples = ['<%= config.bin %> push --message "Refund action"'];
  static override aliases = ['publish', 'deploy'];
  static override flags = {
    ...projectFlags,
    message: string({
      char: 'm',
      summary: 'What the version is about.',
      env: 'SERVICE_MESSAGE',
      default: '',
      helpValue: '<text>',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Push);
    const context = this.createContext();
    const result = await push(context, { folder: flags.project ?? context.workingFolder, message: flags.message });
    this.present(result, renderPush);
  }
}
