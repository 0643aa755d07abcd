import { string } from '@oclif/core/args';
import { integer, string as stringFlag } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class PermissionsExplain extends CloudCommand {
  static override summary = 'Say what a user may do with a collection, and why.';
  static override examples = [
    '<%= config.bin %> permissions explain ada@example.com orders',
    '<%= config.bin %> permissions explain 7 orders customer:name --rendering 3',
    '<%= config.bin %> permissions explain role:Support orders',
    '<%= config.bin %> permissions explain ada@example.com orders --client nightly-sync',
  ];
  static override args = {
    user: string({
      required: true,
      description:
        'Id or e-mail address of the user, or somebody of permissions.json: an e-mail address or role:<name>.',
    }),
    collection: string({ required: true, description: 'Name of the collection.' }),
    path: string({ description: 'A field, or a path "relation:field", that a query might use.' }),
  };
  static override flags = {
    ...projectFlags,
    rendering: integer({
      summary: 'Rendering whose scopes and segments hold for the user.',
      env: 'SERVICE_RENDERING',
      min: 1,
      helpValue: '<id>',
    }),
    client: stringFlag({
      summary: 'A program that acts for the user: the id of an MCP client, or the name of a service account.',
      env: 'SERVICE_CLIENT',
      helpValue: '<name>',
    }),
  };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(PermissionsExplain);
    const context = await this.createContext();
    const { explainPermissions } = await import('#flows/run/explain');
    const { renderExplainedPermissions } = await import('#cli/rendering/render-explained');
    const { user, collection, path } = args;
    const question = { user, collection, path, renderingId: flags.rendering, client: flags.client };
    const { developerOf } = await import('#cli/invocation/developer');
    const explained = await explainPermissions(context, {
      folder: flags.project ?? context.workingFolder,
      developer: await developerOf(context),
      signal: this.invocation.interrupted,
      question,
    });
    this.present(explained, renderExplainedPermissions);
  }
}
