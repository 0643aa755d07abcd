import { string as argument } from '@oclif/core/args';
import { boolean, option, string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { serverFlags } from '#cli/flags/project-flags';
import type { Template } from '#flows/bootstrap/bootstrap';

export default class Bootstrap extends CloudCommand {
  static override summary = 'Create a project: configuration, credentials, customization code and generated types.';
  static override examples = [
    '<%= config.bin %> bootstrap my-admin --uri sqlite:./app.sqlite',
    'SERVICE_URI=mongodb://user:password@host/database <%= config.bin %> bootstrap my-admin',
    '<%= config.bin %> bootstrap shop --template shop',
    'SERVICE_ENV_SECRET=… <%= config.bin %> bootstrap --server-url https://platform.example.com',
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
    uri: string({
      summary: 'Connection URI of the database: sqlite:, postgres://, mariadb://, mysql:// or mongodb://.',
      env: 'SERVICE_URI',
      helpValue: '<uri>',
    }),
    'env-secret': string({
      summary: 'Secret of the environment. The variable is safer: what is typed here shows in the list of processes.',
      env: 'SERVICE_ENV_SECRET',
      helpValue: '<secret>',
    }),
    ...serverFlags,
    install: boolean({
      summary: 'Install the packages of the project, with npm, pnpm, yarn or bun.',
      env: 'SERVICE_INSTALL',
      default: true,
      allowNo: true,
    }),
    git: boolean({
      summary: 'Make the project a git repository, unless it is in one already.',
      env: 'SERVICE_GIT',
      default: true,
      allowNo: true,
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(Bootstrap);
    const context = await this.createContext();
    const { bootstrap } = await import('#flows/bootstrap/bootstrap');
    const { ensureSignedIn } = await import('#flows/sign-in/login');
    const { askForInstants, askForUri, hasPassword, warnOfTypedSecret } = await import('#cli/asking/ask-for-database');
    const { renderBootstrap } = await import('#cli/rendering/render-project');
    warnOfTypedSecret(context.reporter, this.argv, '--env-secret', 'SERVICE_ENV_SECRET');
    if (hasPassword(flags.uri ?? '')) warnOfTypedSecret(context.reporter, this.argv, '--uri', 'SERVICE_URI');
    const template: Template = flags.template;
    const isUnnamed = template === 'blank' && flags.uri === undefined;
    const isOfEnvironment = isUnnamed && flags['server-url'] !== undefined && flags['env-secret'] !== undefined;
    // The variable counts for every command of the shell, and says nothing of what the new project belongs to.
    const isTyped = this.argv.some((word) => /^--server-url(=|$)/.test(word));
    const serverUrl = isTyped || isOfEnvironment ? flags['server-url'] : undefined;
    const project = { directory: args.directory, hasEnvSecret: flags['env-secret'] !== undefined };
    const uri = isUnnamed && !isOfEnvironment ? await askForUri(context, project) : flags.uri;
    if (serverUrl !== undefined && !isOfEnvironment) await ensureSignedIn(context, serverUrl);
    const result = await bootstrap(context, {
      directory: args.directory,
      template,
      uri,
      envSecret: flags['env-secret'],
      serverUrl,
      isInstalled: flags.install,
      isRepository: flags.git,
      chooseInstants: askForInstants(context),
    });
    this.present(result, renderBootstrap);
  }
}
