import type { FieldRight } from '#contracts/field-rights';

/** What the masks that every agent has show of a text. */
const masks: Readonly<Record<string, string>> = {
  last4: 'Only the end, such as ···1234',
  email: 'Only the start of an address, such as a···@example.com',
  present: 'Only that there is a value',
};

/** What somebody may do with an action: nothing, everything, or on which records. */
export interface SaidAction {
  readonly trigger: boolean | string;
  readonly needsApproval: boolean | string;
  readonly approve: boolean | string;
  readonly selfApprove: boolean;
}

/** The sentences about the rules of a role. They come with the first dialog that has them. */
export const rulesTexts = {
  records: 'Records',
  fields: 'Fields',
  change: 'Change',
  look: 'Look',
  ofPart: (act: string, part: string) => `${part}: ${act}`,
  allRecords: 'All records that its people see',
  onlyWhere: (condition: string) => `Only records where ${condition}`,
  noFieldRules: 'Every field as far as the rights go',
  asJson: 'As JSON',
  jsonOf: (title: string) => `${title}, as JSON`,
  fieldsOf: (role: string, collection: string) => `Fields of ${collection} for ${role}`,
  /** What holds without a rule: it follows from the rights on the collection. */
  seesNothing: (role: string) =>
    `${role} neither browses nor reads these records. The rules hold as soon as it has one of these rights.`,
  seesOnly: (role: string) =>
    `Without a rule, ${role} sees each field and filters by it. It writes none, because it may neither edit nor add.`,
  seesAndWrites: (role: string) => `Without a rule, ${role} sees each field, filters by it and writes it.`,
  keysAreSeen: (keys: string) => `The key (${keys}) is always shown with a record.`,
  noSchema: 'No agent has told what the environment has, so only fields with a rule are here.',
  field: 'Field',
  everyOtherField: 'every other field',
  asEveryOther: 'as every other field',
  values: 'Values',
  filter: 'Filter',
  write: 'Write',
  valuesOf: (field: string) => `Values of ${field}`,
  filtersBy: (field: string) => `Filter by ${field}`,
  writes: (field: string) => `Write ${field}`,
  shown: 'As they are',
  hidden: 'Hidden',
  hiddenWhy: 'So the role neither filters by it nor writes it.',
  maskedWhy: (isWritten: boolean) =>
    `The role does not filter by it, because that tells what the mask hides. ${isWritten ? 'Whoever writes it replaces a value that they do not see.' : 'It does not write it either, unless you tick "Write".'}`,
  /** In the place of a box that would change nothing. */
  unwritten: 'Nobody writes it: it is computed, or read-only.',
  mask: (name: string) => masks[name] ?? `By the mask "${name}" of the code`,
  /** What a rule says of a field. */
  fieldRule: (field: string, { read, filter, write }: FieldRight) => {
    if (read === false) return `${field} is hidden`;
    if (read !== true) return `${field} is masked (${read})${write ? ' and written' : ''}`;
    if (filter && write) return `${field} has no restriction`;
    const denied = [...(filter ? [] : ['filtered by']), ...(write ? [] : ['written'])];
    return `${field} is not ${denied.join(' or ')}`;
  },
  addField: 'Add a rule for a field',
  add: 'Add',
  idle: 'Rules without an effect',
  whyIdle: {
    gone: 'There is no such field.',
    key: 'The key identifies records, so it has no rule.',
    relation: 'A relation follows its key: the rule belongs to the column.',
  },
  actions: 'Actions',
  everyOtherAction: 'every other action',
  asEveryOtherAction: 'as every other action',
  actionGone: 'There is no such action.',
  /** What may be done with an action: `false`, `true`, or on which records. */
  actionRule: ({ trigger, needsApproval, approve, selfApprove }: SaidAction) => {
    const where = (said: string | true) => (said === true ? '' : ` where ${said}`);
    const asks = needsApproval === false ? '' : `, with an approval${where(needsApproval)}`;
    return [
      trigger === false ? 'may not run it' : `runs it${where(trigger)}${asks}`,
      ...(approve === false ? [] : [`approves it${where(approve)}`]),
      ...(selfApprove ? ['approves own requests'] : []),
    ].join('; ');
  },
  actionRights: { trigger: 'May run it', needsApproval: 'A run needs an approval', approve: 'May approve runs' },
  selfApprove: 'May approve own requests, where it may approve runs',
  extents: { none: 'no', all: 'yes', some: 'on some records' },
  conditionsAsJson: (condition: string) => `Where ${condition}. A form cannot show this condition: change it as JSON.`,
  unfilled: 'A condition is missing, or has no value yet.',
  newChart: 'New chart',
  chartName: 'Name',
  chartType: 'Type',
  chartTypes: {
    Value: 'One number',
    Objective: 'One number and its objective',
    Pie: 'Parts of a whole, as bars',
    Line: 'A line over time',
    Leaderboard: 'A ranking, as bars',
  },
  chartRelation: 'Related records that are measured',
  chartLabel: 'Field that names a record',
  chartLimit: 'Records at most, if not 10',
  aggregator: 'What is computed',
  aggregators: { Count: 'How many', Sum: 'Sum', Avg: 'Average', Min: 'Smallest', Max: 'Largest' },
  chartField: 'Field that is computed',
  groupBy: 'Grouped by',
  timeRange: 'Length of a group',
  timeRanges: { Day: 'Day', Week: 'Week', Month: 'Month', Quarter: 'Quarter', Year: 'Year' },
  objective: 'Objective',
  chartTeams: 'Teams that see it',
  chartNoTeam: 'Choose a team: the rights keep a chart only with the teams that see it.',
  noTeam: 'The rights name no team, so nobody can have this chart. Create a team under People first.',
  changeChart: 'Change the chart',
  laterTeams: 'A team that is made later sees the chart once somebody ticks it here, or on the page of the rights.',
  /** What keeps a chart from being used. */
  chartMissing: (parts: string) => `Still missing, or not valid: ${parts}.`,
  removeRule: (name: string) => `Remove the rule for ${name}`,
};
