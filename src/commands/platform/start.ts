import { CloudCommand } from '#cli/command/cloud-command';
import { agentFlags, auditFlags, hostFlags, listenFlags, stopFlags, storeFlags } from '#cli/flags/platform-flags';

export default class PlatformStart extends CloudCommand {
  static override summary = 'Serve the platform for a team.';
  static override description =
    'The first start prints a link that makes the first administrator. The access log goes to stdout, one JSON object a line; under --json every event does. See docs/deploy.md.';
  static override examples = [
    '<%= config.bin %> platform start',
    '<%= config.bin %> platform start --listen 0.0.0.0:3310 --public-url https://platform.example.com --trusted-proxy 10.0.0.7',
    '<%= config.bin %> platform start --listen 0.0.0.0:443 --public-url https://platform.example.com --tls-cert chain.pem --tls-key key.pem',
  ];
  static override flags = { ...storeFlags, ...listenFlags, ...hostFlags, ...agentFlags, ...auditFlags, ...stopFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(PlatformStart);
    const context = await this.createContext();
    const { runPlatform } = await import('#cli/foreground/run-platform');
    const { parseAgentAddresses } = await import('#cli/flags/agent-addresses');
    const { parseRatePolicies, parseRetention } = await import('#cli/flags/platform-flags');
    await runPlatform(this.invocation, context, {
      store: flags.store,
      listen: flags.listen,
      serve: flags.serve,
      publicUrl: flags['public-url'],
      tlsCert: flags['tls-cert'],
      tlsKey: flags['tls-key'],
      agentAddresses: parseAgentAddresses(flags['agent-address'] ?? []),
      trustedProxies: flags['trusted-proxy'] ?? [],
      ratePolicies: parseRatePolicies(flags['api-limit'] ?? []),
      checkpointFile: flags['checkpoint-file'],
      retention: parseRetention(flags),
      archive: flags.archive,
      hasAccessLog: flags['access-log'],
      notice: flags.notice,
      drain: flags.drain,
    });
  }
}
