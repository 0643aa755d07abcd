import { string as argument } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { agentOfFlags, runFlags } from '#cli/flags/run-flags';

export default class RunAction extends CloudCommand {
  static override summary = 'Run an action on records, as a person of the project.';
  static override description =
    'The terminal asks for fields of the form that are missing. A file that the action makes is written into the current folder.';
  static override examples = [
    '<%= config.bin %> run action orders refund --ids 1,2 --set Amount=5',
    '<%= config.bin %> run action orders refund --ids 1 --as role:support --json',
    '<%= config.bin %> run action orders refund --ids 1 --request "The customer called twice"',
  ];
  static override args = {
    collection: argument({ required: true, description: 'Name of the collection.' }),
    action: argument({ required: true, description: 'Name of the action; small letters and dashes will do.' }),
  };
  static override flags = {
    ...runFlags,
    ids: string({
      summary: 'The records to run it on, separated by commas.',
      env: 'SERVICE_IDS',
      default: '',
      helpValue: '<ids>',
    }),
    set: string({
      summary: 'The value of a field of the form: of a list with commas between the items, of a file its path.',
      env: 'SERVICE_SET',
      multiple: true,
      default: [],
      helpValue: '<field=value>',
    }),
    request: string({
      summary: 'Ask for an approval instead of running it, and say why.',
      env: 'SERVICE_REQUEST',
      helpValue: '<comment>',
    }),
    output: string({
      summary: 'Where to write a file that the action makes.',
      env: 'SERVICE_OUTPUT',
      helpValue: '<file>',
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(RunAction);
    const context = await this.createContext();
    const { keepFile } = await import('#flows/run/run-action');
    const { runAction } = await import('#flows/run/run-action');
    const { askForFields } = await import('#cli/asking/ask-for-fields');
    const { nameValuePairs } = await import('#cli/flags/name-value-pairs');
    const { renderAction } = await import('#cli/rendering/render-run');
    const run = await runAction(context, {
      ...(await agentOfFlags(flags, this.invocation, context)),
      collection: args.collection,
      action: args.action,
      ids: flags.ids.split(',').flatMap((id) => id.trim() || []),
      values: nameValuePairs(flags.set, '--set'),
      request: flags.request,
      askFor: askForFields(context, this.invocation.environment.arguments),
    });
    this.present(await keepFile(context, run, flags.output), renderAction);
  }
}
