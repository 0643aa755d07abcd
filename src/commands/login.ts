import { boolean, string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags, serverFlags } from '#cli/flags/project-flags';

export default class Login extends CloudCommand {
  static override summary = 'Sign in to a platform, in a browser here or on another machine.';
  static override description =
    'Keeps a token of 30 days in the keychain of the system, or in a file that only you can read. A script sets SERVICE_AUTH_TOKEN instead.';
  static override examples = [
    '<%= config.bin %> login --server-url https://platform.example.com',
    '<%= config.bin %> login --in shop',
    '<%= config.bin %> login --token-stdin < token.txt',
  ];
  static override flags = {
    ...projectFlags,
    ...serverFlags,
    in: string({
      summary: 'Name of the project on the platform, for members of several.',
      env: 'SERVICE_IN',
      helpValue: '<name>',
    }),
    'token-stdin': boolean({
      summary: 'Keep the token that stands on stdin, instead of signing in in a browser.',
      env: 'SERVICE_TOKEN_STDIN',
      exclusive: ['in'],
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Login);
    const context = await this.createContext();
    const { login } = await import('#flows/sign-in/login');
    const { readToken } = await import('#cli/asking/read-secret');
    const { renderLogin } = await import('#cli/rendering/render-sign-in');
    const { requirePerson } = await import('#cli/asking/read-secret');
    const folder = flags.project ?? context.workingFolder;
    const token = flags['token-stdin'] ? await readToken(this.invocation.environment, context) : undefined;
    if (token === undefined) requirePerson(this.invocation);
    const input = { folder, serverUrl: flags['server-url'], project: flags.in, token };
    this.present(await login(context, input), renderLogin);
  }
}
