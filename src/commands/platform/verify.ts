import { CloudCommand } from '#cli/command/cloud-command';
import { anchorFlags, witnessFlags } from '#cli/flags/log-flags';
import { storeFlags } from '#cli/flags/platform-flags';

export default class PlatformVerify extends CloudCommand {
  static override summary = 'Prove that nobody changed the audit logs in the store of a platform, also while it runs.';
  static override description =
    'Verifies what `audit verify` does for every log of the store, and the columns by which rows are found. Exit code 1: a log does not hold. 5: the key, or a cosignature that --witness asks for, is missing.';
  static override examples = ['<%= config.bin %> platform verify --anchor /mnt/elsewhere/platform.checkpoints'];
  static override flags = { ...storeFlags, ...anchorFlags, ...witnessFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(PlatformVerify);
    const context = await this.createContext();
    const { verifyStore } = await import('#flows/platform/verify-store-logs');
    const { renderVerifiedStore } = await import('#cli/rendering/render-audit-log');
    const { storeFrom } = await import('#cli/flags/store-argument');
    const store = storeFrom(this.invocation, context, flags.store, 'SERVICE_PLATFORM_STORE');
    const { anchor: anchors = [], witness: witnesses = [] } = flags;
    this.present(await verifyStore(context, { store, anchors, witnesses }), renderVerifiedStore);
  }
}
