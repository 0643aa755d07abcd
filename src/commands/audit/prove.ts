import { string as argument } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { logFlags, logOf } from '#cli/flags/log-flags';

export default class AuditProve extends CloudCommand {
  static override summary = 'Prove one act or change to somebody who sees nothing else of the log.';
  static override description =
    'Writes each row of the act, its path to the root of its month, and that root as the platform has signed it. `audit verify --proof` verifies it offline.';
  static override examples = [
    '<%= config.bin %> audit prove 0b9c3b1e-5f0e-4c39-9f0b-6f6d0f1f7a11 --file proof.json',
    '<%= config.bin %> audit prove 0b9c3b1e-5f0e-4c39-9f0b-6f6d0f1f7a11 > proof.json',
  ];
  static override args = {
    id: argument({ description: 'Id of the act or the change.', required: true }),
  };
  static override flags = {
    ...logFlags,
    file: string({ summary: 'Where the proof goes; printed without it.', env: 'SERVICE_FILE', helpValue: '<file>' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(AuditProve);
    const context = await this.createContext();
    const { proveRow } = await import('#flows/audit/row-proofs');
    const { renderProof } = await import('#cli/rendering/render-segments');
    const { id } = args;
    this.present(await proveRow(context, { ...logOf(flags, context), id, file: flags.file }), renderProof);
  }
}
