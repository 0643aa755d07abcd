import { integer, string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';

export default class Serve extends CloudCommand {
  static override summary = 'Host the agent of an environment: serve what is deployed there.';
  static override description =
    'Takes the secret of the environment from SERVICE_ENV_SECRET and the platform from SERVICE_SERVER_URL. A new deployment is checked in a worker and swapped in without dropping a request. Under --json every event is one line.';
  static override examples = [
    '<%= config.bin %> serve',
    '<%= config.bin %> serve --listen 0.0.0.0:3351 --workers 4 --name berlin-1',
  ];
  static override flags = {
    listen: string({
      summary: 'Address and port of the agent; behind a balancer or a TLS proxy.',
      env: 'SERVICE_LISTEN',
      default: '127.0.0.1:3351',
      helpValue: '<address:port>',
    }),
    'mcp-port': integer({
      summary: 'Port of the MCP server; 0 takes any free one.',
      env: 'MCP_SERVER_PORT',
      default: 3931,
      min: 0,
      max: 65_535,
      helpValue: '<port>',
    }),
    workers: integer({
      summary: 'Threads that serve; one for each core by default.',
      env: 'SERVICE_WORKERS',
      min: 1,
      max: 256,
      helpValue: '<number>',
    }),
    name: string({
      summary: 'Name of this host; that of the machine by default.',
      env: 'SERVICE_NAME',
      helpValue: '<name>',
    }),
    state: string({
      summary: 'Folder for what outlives the host.',
      env: 'SERVICE_STATE',
      default: '.vendor-cloud/host',
      helpValue: '<folder>',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Serve);
    const context = await this.createContext();
    const { runEnvironmentHost } = await import('#cli/foreground/run-environment-host');
    await runEnvironmentHost(this.invocation, context, {
      listen: flags.listen,
      mcpPort: flags['mcp-port'],
      workers: flags.workers,
      name: flags.name,
      stateFolder: flags.state,
    });
  }
}
