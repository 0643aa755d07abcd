import { string } from '@oclif/core/args';
import { CloudCommand } from '#cli/cloud-command';
import { environmentFlags, projectFlags } from '#cli/project-flags';
import { renderChangedPermissions } from '#cli/render-permissions';
import { rightsAndSwitch } from '#cli/rights-and-switch';
import { setPermissions } from '#flows/permissions/set-permissions';

export default class PermissionsSet extends CloudCommand {
  static override summary = 'Give a role rights on a collection, or take them away.';
  static override description = 'For actions, scopes and everything else, edit permissions.json and apply it.';
  static override examples = [
    '<%= config.bin %> permissions set support orders browse read on --env production',
    '<%= config.bin %> permissions set support payments export off',
  ];
  /** More rights follow the first. */
  static override strict = false;
  static override args = {
    role: string({ required: true, description: 'Name of the role.' }),
    collection: string({
      required: true,
      description: 'Name of the collection, or * for all that the role does not name.',
    }),
    rights: string({
      required: true,
      description: 'One or more of browse, read, edit, add, delete, export; then on or off.',
    }),
  };
  static override flags = { ...projectFlags, ...environmentFlags };

  override async run(): Promise<void> {
    const { flags, args, argv } = await this.parse(PermissionsSet);
    const context = this.createContext();
    const result = await setPermissions(context, {
      folder: flags.project ?? context.workingFolder,
      environment: flags.env,
      role: args.role,
      collection: args.collection,
      ...rightsAndSwitch(argv.slice(2).map(String)),
    });
    this.present(result, renderChangedPermissions);
  }
}
