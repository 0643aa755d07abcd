import { CloudCommand } from '#cli/command/cloud-command';
import { environmentFlags, projectFlags, serverFlags } from '#cli/flags/project-flags';

export default class ConfigExplain extends CloudCommand {
  static override summary = 'Show each setting, its value without secrets, and where the value comes from.';
  static override description =
    'A flag wins over the variable of the process, that over the .env file of the project, that over the link of the folder, that over vendor-cloud.json.';
  static override examples = ['<%= config.bin %> config explain', '<%= config.bin %> config explain --json'];
  static override flags = { ...projectFlags, ...serverFlags, ...environmentFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(ConfigExplain);
    const context = await this.createContext();
    const { explainConfig } = await import('#flows/doctor/explain-config');
    const { renderSettings } = await import('#cli/rendering/render-environments');
    const typed = (flag: string, value: string | undefined) =>
      this.argv.some((word) => word === flag || word.startsWith(`${flag}=`)) ? value : undefined;
    const settings = await explainConfig(context, {
      folder: flags.project ?? context.workingFolder,
      flags: {
        SERVICE_PROJECT: typed('--project', flags.project),
        SERVICE_SERVER_URL: typed('--server-url', flags['server-url']),
        SERVICE_ENV: typed('--env', flags.env),
      },
    });
    this.present({ settings }, (result, terminal) => renderSettings(result.settings, terminal));
  }
}
