import { string as argument } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import { askForUri } from '#cli/ask-for-uri';
import { CloudCommand } from '#cli/cloud-command';
import { renderBootstrap } from '#cli/render-results';
import { bootstrap, type Template } from '#flows/bootstrap/bootstrap';

export default class Bootstrap extends CloudCommand {
  static override summary = 'Create a project: configuration, credentials, customization code and generated types.';
  static override examples = [
    '<%= config.bin %> bootstrap my-admin --uri sqlite:./app.sqlite',
    '<%= config.bin %> bootstrap shop --template shop',
  ];
  static override args = {
    directory: argument({ description: 'Folder to create.', default: 'cloud-customizer' }),
  };
  static override flags = {
    template: option({
      summary: 'What to start from: a database of your own, or the sample shop.',
      options: ['blank', 'shop'] as const,
      default: 'blank',
      env: 'SERVICE_TEMPLATE',
    })(),
    uri: string({ summary: 'Connection URI of the database.', env: 'SERVICE_URI', helpValue: '<uri>' }),
    'env-secret': string({
      summary: 'Secret of the environment. The variable is safer: what is typed here shows in the list of processes.',
      env: 'SERVICE_ENV_SECRET',
      helpValue: '<secret>',
    }),
  };

  override async run(): Promise<void> {
    const { args, flags, metadata } = await this.parse(Bootstrap);
    const context = this.createContext();
    if (
      metadata.flags['env-secret'] &&
      !metadata.flags['env-secret'].setFromDefault &&
      this.argv.some((word) => word.startsWith('--env-secret'))
    ) {
      context.reporter.warn('--env-secret shows in the list of processes.', 'Set SERVICE_ENV_SECRET instead.');
    }
    const template: Template = flags.template;
    const uri = template === 'blank' ? (flags.uri ?? (await askForUri(context))) : undefined;
    const result = await bootstrap(context, {
      directory: args.directory,
      template,
      uri,
      envSecret: flags['env-secret'],
    });
    this.present(result, renderBootstrap);
  }
}
