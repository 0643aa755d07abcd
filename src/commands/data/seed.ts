import { integer, string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class DataSeed extends CloudCommand {
  static override summary = 'Fill the development database with records that fit its columns, keys and checks.';
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
    deleted: integer({
      summary: 'How many of 100 records are marked as deleted, in tables whose deletion marks records.',
      env: 'SERVICE_DELETED',
      default: 5,
      min: 0,
      max: 100,
      helpValue: '<percent>',
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
    const { renderCreated } = await import('#cli/rendering/render-data-sources');
    const { rows, seed, deleted: deletedPercent, collection: collections } = flags;
    const folder = flags.project ?? context.workingFolder;
    this.present(await seedData(context, { folder, collections, rows, seed, deletedPercent }), renderCreated);
  }
}
