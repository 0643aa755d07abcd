import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';

export default class AuditCosign extends CloudCommand {
  static override summary = 'Sign the logs of a project on a second machine, so that nobody replaces them unnoticed.';
  static override description =
    'Run it every hour on a machine that whoever runs the platform cannot change. It sees that every log goes on from what it signed before, signs, and gives the platform its signatures. The token in SERVICE_AUTH_TOKEN needs the scope cosignatures:write. Exit code 1: a log was replaced or shortened.';
  static override examples = [
    '<%= config.bin %> audit cosign --state witness.state --key witness.key --public-key platform.pub',
  ];
  static override flags = {
    state: string({
      summary: 'File with everything that this machine has signed. Keep it: it is what the logs are compared with.',
      env: 'SERVICE_STATE',
      required: true,
      helpValue: '<file>',
    }),
    key: string({
      summary: 'File with the key of this machine, made when it is missing.',
      env: 'SERVICE_KEY',
      required: true,
      helpValue: '<file>',
    }),
    name: string({
      summary: 'What a new key is called.',
      env: 'SERVICE_NAME',
      default: 'witness',
      helpValue: '<name>',
    }),
    'public-key': string({
      summary: 'Public key of the platform, or a file with it.',
      env: 'SERVICE_PUBLIC_KEY',
      multiple: true,
      helpValue: '<key>',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(AuditCosign);
    const context = await this.createContext();
    const { cosignLogs } = await import('#flows/audit/cosign/cosign-logs');
    const { renderCosigned } = await import('#cli/rendering/render-segments');
    const { state, key, name, 'public-key': platformKeys = [] } = flags;
    const folder = context.workingFolder;
    this.present(await cosignLogs(context, { folder, state, key, name, platformKeys }), renderCosigned);
  }
}
