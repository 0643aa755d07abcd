import { integer } from '@oclif/core/args';
import { CloudCommand } from '#cli/cloud-command';
import { projectFlags } from '#cli/project-flags';

export default class TokensRevoke extends CloudCommand {
  static override summary = 'End an API token at once.';
  static override examples = ['<%= config.bin %> tokens revoke 3'];
  static override args = { id: integer({ required: true, min: 1, description: 'Id of the token.' }) };
  static override flags = { ...projectFlags };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(TokensRevoke);
    const context = await this.createContext();
    const { revokeToken } = await import('#flows/api-tokens/revoke-token');
    const { renderRevokedToken } = await import('#cli/render-api-tokens');
    const folder = flags.project ?? context.workingFolder;
    this.present(await revokeToken(context, { folder, id: args.id }), renderRevokedToken);
  }
}
