import { string } from '@oclif/core/args';
import { string as stringFlag } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { confirmFlags, lockoutFlags } from '#cli/flags/confirm-flags';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class PermissionsSet extends CloudCommand {
  static override summary = 'Give a role rights on a collection, an action or a field, or take them away.';
  static override description =
    'Shows what changes and asks. For scopes, segments, people and everything else, edit permissions.json and apply it: vendor-cloud permissions diff, then apply.';
  static override examples = [
    '<%= config.bin %> permissions set support orders browse read on --env production',
    '<%= config.bin %> permissions set support payments export off',
    '<%= config.bin %> permissions set support orders trigger needsApproval on --action Refund',
    '<%= config.bin %> permissions set support staff read off --field salary',
  ];
  static override usage = '<%= command.id %> ROLE COLLECTION RIGHT... on|off';
  /** More rights follow the first. */
  static override strict = false;
  static override args = {
    role: string({ required: true, description: 'Name of the role.' }),
    collection: string({ required: true, description: 'The collection, or * for all that the role does not name.' }),
    rights: string({
      required: true,
      description:
        'Some of browse, read, edit, add, delete, export; of an action: trigger, needsApproval, approve, selfApprove; of a field: read, filter, write. Then on or off.',
    }),
  };
  static override flags = {
    ...projectFlags,
    ...environmentFlags,
    ...confirmFlags,
    ...lockoutFlags,
    action: stringFlag({
      summary: 'The action that the rights are on, or * for all that the collection does not name.',
      env: 'SERVICE_ACTION',
      helpValue: '<name>',
    }),
    field: stringFlag({
      summary: 'The field that the rights are on, or * for all that the collection does not name.',
      env: 'SERVICE_FIELD',
      helpValue: '<name>',
      exclusive: ['action', 'where'],
    }),
    mask: stringFlag({
      summary: 'The mask that the values of the field are read through: last4, email, present or one of the code.',
      env: 'SERVICE_MASK',
      helpValue: '<name>',
      dependsOn: ['field'],
    }),
    where: stringFlag({
      summary: 'The records for which an action is allowed: a condition, as in permissions.json.',
      env: 'SERVICE_WHERE',
      helpValue: '<json>',
    }),
  };

  override async run(): Promise<void> {
    const { flags, args, argv } = await this.parse(PermissionsSet);
    const context = await this.createContext();
    const { setPermissions } = await import('#flows/permissions/change-permissions');
    const { confirmPermissions } = await import('#cli/asking/confirm-change');
    const { renderChangedPermissions } = await import('#cli/rendering/render-permissions');
    const { rightsAndSwitch } = await import('#cli/flags/name-value-pairs');
    const { terminal, environment } = this.invocation;
    const result = await setPermissions(context, {
      ...targetOf(flags, context),
      role: args.role,
      collection: args.collection,
      action: flags.action,
      field: flags.field,
      mask: flags.mask,
      where: flags.where,
      ...rightsAndSwitch(argv.slice(2).map(String)),
      allowLockout: flags['allow-lockout'],
      confirm: confirmPermissions(context, terminal, { isConfirmed: flags.yes, called: environment.arguments }),
    });
    this.present(result, renderChangedPermissions);
  }
}
