import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';
import { exitCodes } from '#kernel/errors/catalogue/exit-codes';

export default class Doctor extends CloudCommand {
  static override summary = 'Look at all that commands need, and say what is in the way. Changes nothing.';
  static override description =
    'Looks at Node.js, ports, file watches, certificates, the project, its databases, the proxy, the platform, the clock and the credentials. Ends with 1 when a check fails.';
  static override examples = ['<%= config.bin %> doctor', '<%= config.bin %> doctor --bundle support.json'];
  static override flags = {
    ...projectFlags,
    bundle: string({
      summary: 'Write what was found into this new file as well, without secrets, for somebody who helps.',
      env: 'SERVICE_BUNDLE',
      helpValue: '<file>',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Doctor);
    const context = await this.createContext();
    const { examine } = await import('#flows/doctor/doctor');
    const { renderExamination } = await import('#cli/rendering/render-checks');
    const folder = flags.project ?? context.workingFolder;
    const examination = await examine(context, { folder, bundle: flags.bundle });
    // What was cut off looks like a fault of the machine.
    this.invocation.interrupted.throwIfAborted();
    this.present(examination, renderExamination);
    if (!examination.isHealthy) this.invocation.environment.setExitCode(exitCodes.failed);
  }
}
