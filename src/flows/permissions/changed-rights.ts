import { type Condition, conditionSchema } from '#contracts/condition';
import {
  actionRights,
  collectionRights,
  everyOther,
  type RoleAction,
  type RoleCollection,
} from '#contracts/permission-file';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';

/** Some rights that are given or taken away. */
export interface RightsSwitch {
  /** Of a collection, or of an action where there is one. */
  readonly rights: readonly string[];
  readonly isOn: boolean;
  /** Name of an action of the collection, or `*` for all that are not named. */
  readonly action?: string | undefined;
  /** The records for which rights of an action are given, a condition as JSON. Default: all. */
  readonly where?: string | undefined;
}

/** What a role may do with a collection after the change. Throws `USAGE_INVALID`. */
export function changedRights(held: RoleCollection | undefined, change: RightsSwitch): RoleCollection {
  const { rights, isOn, action } = change;
  const where = conditionOf(change);
  if (action === undefined) return { ...held, ...valuesOf(collectionRights, 'a collection', rights, isOn) };
  if (where && rights.includes('selfApprove')) {
    throw unusable('selfApprove takes no condition of its own: the one of approve holds for it.');
  }
  const { actions = {} } = held ?? {};
  // An action that is named for the first time keeps what the role may do with every other one.
  const before: RoleAction | undefined = Object.hasOwn(actions, action) ? actions[action] : actions[everyOther];
  const given = valuesOf(actionRights, 'an action', rights, isOn && where ? { where } : isOn);
  return { ...held, actions: { ...actions, [action]: { ...before, ...given } } };
}

function valuesOf<Value>(known: readonly string[], ofWhat: string, rights: readonly string[], value: Value) {
  const unknown = rights.find((right) => !known.includes(right));
  if (unknown === undefined) return Object.fromEntries(rights.map((right) => [right, value]));
  const isOther = [...collectionRights, ...actionRights].some((right) => right === unknown);
  throw cloudError(
    'USAGE_INVALID',
    `There is no right "${unknown}" on ${ofWhat}.${isOther ? '' : didYouMean(nearestName(unknown, known))}`,
    [
      `Name some of: ${known.join(', ')}.`,
      known === collectionRights
        ? `For ${actionRights.join(', ')}, name the action: --action <name>`
        : 'For a collection, leave --action out.',
    ],
  );
}

function conditionOf({ where, action, isOn }: RightsSwitch): Condition | undefined {
  if (where === undefined) return undefined;
  if (action === undefined || !isOn)
    throw unusable('--where says for which records an action is allowed: it needs --action, and "on".');
  try {
    return conditionSchema.parse(JSON.parse(where));
  } catch (cause) {
    throw unusable('--where is not a condition.', cause);
  }
}

function unusable(message: string, cause?: unknown): CloudError {
  return cloudError(
    'USAGE_INVALID',
    message,
    `--action Refund --where '{"field": "status", "operator": "equal", "value": "paid"}'`,
    { cause },
  );
}
