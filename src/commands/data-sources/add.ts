import { string as argument } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

const names = (summary: string, env: string) => string({ summary, env, helpValue: '<names>' });

export default class DataSourcesAdd extends CloudCommand {
  static override summary = 'Add a database to the project.';
  static override description =
    'Connects to it first. The address of a server goes into .env, and vendor-cloud.json refers to its variable.';
  static override examples = [
    '<%= config.bin %> data-sources add archive',
    '<%= config.bin %> data-sources add archive --uri sqlite:./archive.sqlite --rename archive_',
    `<%= config.bin %> data-sources add archive --uri '\${ARCHIVE_URL}' --exclude sessions,logs`,
  ];
  static override aliases = ['generate:data-source'];
  static override args = { name: argument({ required: true, description: 'What the project calls it.' }) };
  static override flags = {
    ...projectFlags,
    uri: string({
      summary: 'Address of the database; a variable is safer: what is typed here shows in the list of processes.',
      env: 'SERVICE_URI',
      helpValue: '<uri>',
    }),
    include: names('Collections to take, separated by commas; all by default.', 'SERVICE_INCLUDE'),
    exclude: names('Collections to leave out, separated by commas.', 'SERVICE_EXCLUDE'),
    rename: string({
      summary: 'What to put before the names of its collections.',
      env: 'SERVICE_RENAME',
      helpValue: '<prefix>',
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(DataSourcesAdd);
    const context = await this.createContext();
    const { addDataSource } = await import('#flows/data-sources/add-tested-source');
    const { hasPassword } = await import('#flows/data-sources/described-source');
    const { askForDatabase } = await import('#cli/asking/ask-for-database');
    const { renderAdded } = await import('#cli/rendering/render-data-sources');
    const uri = flags.uri ?? (await askForDatabase(context, args.name));
    if (this.argv.some((word) => word.startsWith('--uri')) && hasPassword(uri)) {
      context.reporter.warn('The password in --uri shows in the list of processes.', 'Set SERVICE_URI instead.');
    }
    const added = await addDataSource(context, {
      folder: flags.project ?? context.workingFolder,
      name: args.name,
      uri,
      include: listOf(flags.include),
      exclude: listOf(flags.exclude),
      rename: flags.rename,
    });
    this.present(added, renderAdded);
  }
}

function listOf(text: string | undefined): string[] | undefined {
  return text?.split(',').flatMap((name) => name.trim() || []);
}
