import { boolean, string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/cloud-command';
import { environmentFlags, projectFlags, targetOf } from '#cli/project-flags';
import { renderPush } from '#cli/render-results';
import { push } from '#flows/push/push';

export default class Push extends CloudCommand {
  static override summary = 'Build the project, upload it as a new version, and deploy it.';
  static override examples = ['<%= config.bin %> push --message "Refund action"'];
  static override aliases = ['publish', 'deploy'];
  static override flags = {
    ...projectFlags,
    ...environmentFlags,
    deploy: boolean({
      summary: 'Deploy the version as well.',
      env: 'SERVICE_DEPLOY',
      default: true,
      allowNo: true,
    }),
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
    const result = await push(context, {
      ...targetOf(flags, context),
      message: flags.message,
      isDeployed: flags.deploy,
    });
    this.present(result, renderPush);
  }
}
