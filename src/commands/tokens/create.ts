import { string } from '@oclif/core/args';
import { boolean, option, string as stringFlag } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { durationFlag } from '#cli/flags/duration-flag';
import { projectFlags } from '#cli/flags/project-flags';

export default class TokensCreate extends CloudCommand {
  static override summary = 'Create an API token of the project.';
  static override description = 'Prints only the secret on stdout; nothing can print it again.';
  static override examples = [
    '<%= config.bin %> tokens create siem --scope activity_logs:read --scope admin_logs:read',
    'TOKEN=$(<%= config.bin %> tokens create ci --level read-write --expires-in 30d)',
  ];
  static override args = { name: string({ required: true, description: 'What the token is for.' }) };
  static override flags = {
    ...projectFlags,
    scope: option({
      summary: 'What the token may do; may be given several times. agents:use makes a service account.',
      env: 'SERVICE_SCOPE',
      multiple: true,
      multipleNonGreedy: true,
      exclusive: ['level'],
      options: [
        ...(['activity_logs:read', 'admin_logs:read', 'notes:read', 'notes:write', 'cosignatures:write'] as const),
        'agents:use',
        'all',
      ] as const,
    })(),
    level: option({
      summary: 'The same in one word; read-only by default.',
      env: 'SERVICE_LEVEL',
      options: ['read-only', 'read-write'] as const,
    })(),
    'expires-in': durationFlag({
      summary: 'How long it is valid, such as 90d: at most 366d.',
      env: 'SERVICE_EXPIRES_IN',
      most: '366d',
      exclusive: ['never-expires'],
    }),
    'never-expires': boolean({ summary: 'It has no end.', env: 'SERVICE_NEVER_EXPIRES' }),
    'allow-from': stringFlag({
      summary: 'An address or a range from which it may be used; may be given several times.',
      env: 'SERVICE_ALLOW_FROM',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: '<address>',
    }),
  };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(TokensCreate);
    const context = await this.createContext();
    const { createToken } = await import('#flows/tokens/manage-api-tokens');
    const { noteNewSecret, renderSecret } = await import('#cli/rendering/render-api-tokens');
    const made = await createToken(context, {
      folder: flags.project ?? context.workingFolder,
      name: args.name,
      scopes: flags.scope ?? [],
      level: flags.level,
      expiresInSeconds: flags['expires-in'],
      neverExpires: flags['never-expires'],
      allowedCidrs: flags['allow-from'] ?? [],
    });
    noteNewSecret(made, this.invocation.terminal);
    this.present(made, renderSecret);
  }
}
