import { integer, string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/cloud-command';
import { projectFlags } from '#cli/project-flags';

export default class DataSeed extends CloudCommand {
  static override summary = 'Fill the development database with records that fit its columns and keys.';
  static override examples = [
    '<%= config.bin %> data seed',
    '<%= config.bin %> data seed --collection orders --rows 500',
  ];
  static override flags = {
    ...projectFlags,
    collection: string({
      summary: 'A collection to fill; all of them by default.',
      env: 'SERVICE_COLLECTION',
      multiple: true,
      default: [],
      helpValue: '<name>',
    }),
    rows: integer({
      summary: 'Records to make in each.',
      env: 'SERVICE_ROWS',
      default: 20,
      min: 1,
      max: 100_000,
      helpValue: '<number>',
    }),
    seed: integer({
      summary: 'The same number makes the same records.',
      env: 'SERVICE_SEED',
      default: 1,
      helpValue: '<number>',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(DataSeed);
    const context = await this.createContext();
    const { seedData } = await import('#flows/data/seed-data');
    const { renderCreated } = await import('#cli/render-data');
    const { rows, seed, collection: collections } = flags;
    const folder = flags.project ?? context.workingFolder;
    this.present(await seedData(context, { folder, collections, rows, seed }), renderCreated);
  }
}
