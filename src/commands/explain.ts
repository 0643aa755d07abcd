import { string } from '@oclif/core/args';
import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class Explain extends CloudCommand {
  static override summary = 'Say how a list request is carried out: what in the database, what in the agent, and why.';
  static override examples = [
    '<%= config.bin %> explain orders',
    `<%= config.bin %> explain orders 'filters={"field":"status","operator":"equal","value":"open"}&sort=-id'`,
  ];
  static override args = {
    collection: string({ required: true, description: 'Name of the collection.' }),
    query: string({ description: 'Query of the address: filters, search, segment, sort, page, fields.' }),
  };
  static override flags = projectFlags;

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(Explain);
    const context = await this.createContext();
    const { explain } = await import('#flows/run/explain');
    const { renderExplained } = await import('#cli/rendering/render-explained');
    const request = { collection: args.collection, query: args.query ?? '' };
    this.present(await explain(context, flags.project ?? context.workingFolder, request), renderExplained);
  }
}
