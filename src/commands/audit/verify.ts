import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { anchorFlags, logFlags, logOf, witnessFlags } from '#cli/flags/log-flags';

export default class AuditVerify extends CloudCommand {
  static override summary = 'Prove that no row of a log was changed, removed or replaced.';
  static override description =
    'Verifies the log of the platform, or an export on the disk without any network. Exit code 1: the log does not hold. 5: what would prove it is missing, such as the public key.';
  static override examples = [
    '<%= config.bin %> audit verify',
    '<%= config.bin %> audit verify --file audit.ndjson --key platform.pub --anchor platform.checkpoints',
    '<%= config.bin %> audit verify --proof proof.json --key platform.pub',
    '<%= config.bin %> audit verify --archive file:///var/archive --key platform.pub',
    '<%= config.bin %> audit verify --witness witness.pub',
    '<%= config.bin %> audit verify --state audit.state',
  ];
  static override flags = {
    ...logFlags,
    file: string({
      summary: 'An export or a segment, instead of the log of the platform.',
      env: 'SERVICE_FILE',
      helpValue: '<file>',
    }),
    archive: string({
      summary: 'An archive, instead of a log: file:///folder or s3://bucket/folder.',
      env: 'SERVICE_ARCHIVE',
      helpValue: '<address>',
      exclusive: ['file', 'proof', 'witness', 'admin', 'env'],
    }),
    proof: string({
      summary: 'The proof of one row, instead of a log.',
      env: 'SERVICE_PROOF',
      helpValue: '<file>',
      exclusive: ['file', 'anchor', 'witness', 'admin', 'env'],
    }),
    key: string({
      summary: 'Public key of the platform, or a file with it.',
      env: 'SERVICE_KEY',
      multiple: true,
      helpValue: '<key>',
    }),
    state: string({
      summary: 'A file that remembers how far the log was verified. The next run goes on there.',
      env: 'SERVICE_STATE',
      helpValue: '<file>',
      exclusive: ['archive', 'proof'],
    }),
    ...anchorFlags,
    ...witnessFlags,
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(AuditVerify);
    const context = await this.createContext();
    const { archive, file, proof, state, key: keys = [], anchor: anchors = [], witness: witnesses = [] } = flags;
    if (proof !== undefined) {
      const { verifyProof } = await import('#flows/audit/row-proofs');
      const { renderProofVerdict } = await import('#cli/rendering/render-segments');
      this.present(await verifyProof(context, { proof, keys }), renderProofVerdict);
      return;
    }
    if (archive !== undefined) {
      const { verifyArchivedLogs } = await import('#flows/audit/verify-archived-logs');
      const { renderVerifiedArchive } = await import('#cli/rendering/render-archive');
      this.present(await verifyArchivedLogs(context, { archive, keys, anchors }), renderVerifiedArchive);
      return;
    }
    const { verifyLog } = await import('#flows/audit/verify-audit-log');
    const { renderVerdict } = await import('#cli/rendering/render-audit-log');
    const input = { ...logOf(flags, context), file, state, keys, anchors, witnesses };
    this.present(await verifyLog(context, input), renderVerdict);
  }
}
