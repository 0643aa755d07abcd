import { option, string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';
import { dataFormats } from '#flows/data/data-format';

export default class DataExport extends CloudCommand {
  static override summary = 'Write the records of the development database into files, one for each collection.';
  static override examples = [
    '<%= config.bin %> data export --output backup',
    '<%= config.bin %> data export --collection orders --format csv',
  ];
  static override flags = {
    ...projectFlags,
    collection: string({
      summary: 'A collection to export; all of them by default.',
      env: 'SERVICE_COLLECTION',
      multiple: true,
      default: [],
      helpValue: '<name>',
    }),
    format: option({
      summary: 'Rows of CSV, or a JSON object a line. Only JSON keeps empty texts apart from null.',
      options: dataFormats,
      default: 'ndjson',
      env: 'SERVICE_FORMAT',
    })(),
    output: string({
      summary: 'Folder for the files; those that are there are replaced.',
      env: 'SERVICE_OUTPUT',
      default: 'data',
      helpValue: '<folder>',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(DataExport);
    const context = await this.createContext();
    const { exportData } = await import('#flows/data/export-data');
    const { renderExported } = await import('#cli/rendering/render-data-sources');
    const { format, collection: collections, output: target } = flags;
    const folder = flags.project ?? context.workingFolder;
    this.present(await exportData(context, { folder, collections, format, target }), renderExported);
  }
}
