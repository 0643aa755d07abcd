import { CloudCommand } from '#cli/command/cloud-command';
import { confirmFlags } from '#cli/flags/confirm-flags';
import { durationFlag } from '#cli/flags/duration-flag';
import { numberArgument } from '#cli/flags/number-argument';
import { projectFlags } from '#cli/flags/project-flags';

export default class TokensRotate extends CloudCommand {
  static override summary = 'Give an API token a new secret.';
  static override description =
    'Asks first. Prints only the new secret on stdout. The life of the token begins again; the secret before stays valid for the overlap.';
  static override examples = [
    '<%= config.bin %> tokens rotate 3',
    'TOKEN=$(<%= config.bin %> tokens rotate 3 --overlap 1h --yes)',
  ];
  static override args = { id: numberArgument({ required: true, description: 'Id of the token.' }) };
  static override flags = {
    ...projectFlags,
    ...confirmFlags,
    overlap: durationFlag({
      summary: 'How long the secret before stays valid: 24h by default, 0s to end it at once.',
      env: 'SERVICE_OVERLAP',
      most: '24h',
    }),
  };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(TokensRotate);
    const context = await this.createContext();
    const { rotateToken } = await import('#flows/tokens/manage-api-tokens');
    const { confirmRotatedToken } = await import('#cli/asking/confirm-change');
    const { noteNewSecret, renderSecret } = await import('#cli/rendering/render-api-tokens');
    const { terminal, environment } = this.invocation;
    const rotated = await rotateToken(context, {
      folder: flags.project ?? context.workingFolder,
      id: args.id,
      overlapSeconds: flags.overlap,
      confirm: confirmRotatedToken(context, { isConfirmed: flags.yes, called: environment.arguments }),
    });
    noteNewSecret(rotated, terminal);
    this.present(rotated, renderSecret);
  }
}
