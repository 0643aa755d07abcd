import { boolean, string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { againstFlags, timeoutFlags } from '#cli/flags/deployment-flags';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class Push extends CloudCommand {
  static override summary = 'Check the project, upload it as a new version, and deploy it.';
  static override description =
    'Code that does not pass its check never becomes a version; code that is live already makes none. Ends when the environment serves the version.';
  static override examples = [
    '<%= config.bin %> push --message "Refund action"',
    '<%= config.bin %> push --env production --plan production-12-3-0c5f2a9e81b7d640',
    '<%= config.bin %> push --env production --dry-run',
  ];
  static override aliases = ['publish', 'deploy'];
  static override flags = {
    ...projectFlags,
    ...environmentFlags,
    ...againstFlags,
    ...timeoutFlags,
    deploy: boolean({
      summary: 'Deploy the version as well.',
      env: 'SERVICE_DEPLOY',
      default: true,
      allowNo: true,
    }),
    'allow-literal-password': boolean({
      summary: 'Send files that hold a password to any environment.',
      env: 'SERVICE_ALLOW_LITERAL_PASSWORD',
      default: false,
    }),
    message: string({
      char: 'm',
      summary: 'What the version is about, in 500 characters at most.',
      env: 'SERVICE_MESSAGE',
      default: '',
      helpValue: '<text>',
    }),
    plan: string({
      summary: 'Do what this plan says, and nothing when it does not hold any more (exit code 5).',
      env: 'SERVICE_PLAN',
      helpValue: '<id>',
    }),
    'dry-run': boolean({
      summary: 'Check the project and say what would change; upload nothing.',
      env: 'SERVICE_DRY_RUN',
      exclusive: ['plan'],
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Push);
    const context = await this.createContext(flags.timeout * 1000);
    const input = { ...targetOf(flags, context), against: flags.against, message: flags.message };
    if (flags['dry-run']) {
      const { plan } = await import('#flows/plan/plan');
      const { renderPlan } = await import('#cli/rendering/render-plan');
      return this.present(await plan(context, input), renderPlan);
    }
    const { push } = await import('#flows/push/push');
    const { renderPush } = await import('#cli/rendering/render-deployments');
    const { plan: planId, deploy: isDeployed, timeout, 'allow-literal-password': allowsLiteralPasswords } = flags;
    const pushed = { ...input, plan: planId, isDeployed, allowsLiteralPasswords, timeoutMs: timeout * 1000 };
    this.present(await push(context, pushed), renderPush);
  }
}
