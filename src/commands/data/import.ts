import { option } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';
import { dataFormats } from '#flows/data/data-format';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

export default class DataImport extends CloudCommand {
  static override summary = 'Add the records of files to the collections that they are named after.';
  static override description =
    'The records of one database are added together or not at all, parents before the records that lead to them.';
  static override usage = 'data import [FLAGS] <file> …';
  static override examples = ['<%= config.bin %> data import data/customers.ndjson data/orders.csv'];
  static override strict = false;
  static override flags = {
    ...projectFlags,
    format: option({
      summary: 'How the files are written; by default the ends of their names tell it.',
      options: dataFormats,
      env: 'SERVICE_FORMAT',
    })(),
  };

  override async run(): Promise<void> {
    const { flags, argv } = await this.parse(DataImport);
    const files = argv.map(String);
    if (files.length === 0) throw filesMissing();
    const context = await this.createContext();
    const { importData } = await import('#flows/data/import-data');
    const { renderCreated } = await import('#cli/rendering/render-data-sources');
    const folder = flags.project ?? context.workingFolder;
    this.present(await importData(context, { folder, files, format: flags.format }), renderCreated);
  }
}

function filesMissing(): CloudError {
  return cloudError(
    'USAGE_INVALID',
    'There is no file to import.',
    'Name files after their collections: vendor-cloud data import data/orders.ndjson',
  );
}
