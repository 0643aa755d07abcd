import type { PermissionFile, RoleCollection } from '#contracts/permission-file';
import { look, Table } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import styles from './rights.module.css';
import {
  type Extent,
  everyOther,
  extentOf,
  extentOfRoles,
  type Holder,
  type RightName,
  rightNames,
  rolesUnder,
  rulesOf,
  withRight,
} from './rights-draft.ts';

/** Whose rights a matrix shows. */
export type Seen =
  | { readonly kind: 'role'; readonly role: string }
  | { readonly kind: 'person'; readonly name: string; readonly holder: Holder };

interface MatrixProps {
  readonly document: PermissionFile;
  readonly seen: Seen;
  readonly collections: readonly string[];
  readonly mayEdit: boolean;
  readonly onChange: (document: PermissionFile) => void;
  readonly onOpen: (collection: string) => void;
}

/** Collections by rights. The rights of a role can be changed; those of a person follow from their roles and teams. */
export function RightsMatrix({ document, seen, collections, mayEdit, onChange, onOpen }: MatrixProps) {
  const { rights: messages } = useMessages();
  const titles = [messages.collection, ...rightNames.map((right) => messages.names[right]), messages.rules];
  return (
    <div className={styles['matrix']}>
      <Table titles={titles} label={messages.matrixOf(seen.kind === 'role' ? seen.role : seen.name)}>
        {collections.map((collection) => {
          const name = collection === everyOther ? messages.everyOther : collection;
          return (
            <tr key={collection}>
              <th scope="row">
                <bdi>{name}</bdi>
              </th>
              {rightNames.map((right) => (
                <td key={right}>
                  {seen.kind === 'role' && mayEdit ? (
                    <RightBox
                      label={messages.rightOf(messages.names[right], name)}
                      extent={extentOfRoles(document, [seen.role], collection, right)}
                      onChange={(isGiven) => onChange(withRight(document, seen.role, collection, right, isGiven))}
                    />
                  ) : (
                    <ExtentMark extent={extentSeen(document, seen, collection, right)} />
                  )}
                </td>
              ))}
              <td>
                {seen.kind === 'role' ? (
                  <OpenRules
                    name={name}
                    rules={rulesOf(document, seen.role, collection)}
                    onOpen={() => onOpen(collection)}
                  />
                ) : (
                  <RulesOfPerson document={document} holder={seen.holder} collection={collection} />
                )}
              </td>
            </tr>
          );
        })}
      </Table>
    </div>
  );
}

function extentSeen(document: PermissionFile, seen: Seen, collection: string, right: RightName): Extent {
  return seen.kind === 'role'
    ? extentOfRoles(document, [seen.role], collection, right)
    : extentOf(document, seen.holder, collection, right);
}

interface RightBoxProps {
  readonly label: string;
  readonly extent: Extent;
  readonly onChange: (isGiven: boolean) => void;
}

function RightBox({ label, extent, onChange }: RightBoxProps) {
  const { rights: messages } = useMessages();
  return (
    <label className={look.row}>
      <input
        type="checkbox"
        aria-label={label}
        checked={extent !== 'none'}
        onChange={({ target }) => onChange(target.checked)}
      />
      {extent === 'some' && <span className={look.small}>{messages.extents.some}</span>}
    </label>
  );
}

function ExtentMark({ extent }: { readonly extent: Extent }) {
  const { rights: messages } = useMessages();
  return <span data-extent={extent}>{messages.extents[extent]}</span>;
}

interface OpenRulesProps {
  readonly name: string;
  readonly rules: RoleCollection | undefined;
  readonly onOpen: () => void;
}

/** What a role has beside the rights. */
function useSummary() {
  const { rights: messages } = useMessages();
  return (rules: RoleCollection | undefined) => {
    // "*" stands for every action that has no rule of its own.
    const { '*': every, ...named } = rules?.actions ?? {};
    const [actions, fields] = [named, rules?.fields].map((some) => Object.keys(some ?? {}).length);
    return [
      ...(rules?.scope ? [messages.scope] : []),
      ...(every === undefined ? [] : [actions ? messages.everyOtherAction : messages.everyAction]),
      ...(actions ? [messages.actions(actions)] : []),
      ...(fields ? [messages.fields(fields)] : []),
    ].join(', ');
  };
}

interface RulesOfPersonProps {
  readonly document: PermissionFile;
  readonly holder: Holder;
  readonly collection: string;
}

/** The rules of the roles that somebody has. A person has none beside them. */
function RulesOfPerson({ document, holder, collection }: RulesOfPersonProps) {
  const { rights: messages } = useMessages();
  const summaryOf = useSummary();
  const said = rolesUnder(document, holder).flatMap((role) => {
    const summary = summaryOf(rulesOf(document, role, collection));
    return summary === '' ? [] : [messages.rulesByRole(role, summary)];
  });
  if (said.length === 0) return <span data-extent="none">{messages.noRules}</span>;
  return <bdi>{said.join(' · ')}</bdi>;
}

/** Says what there is beside the rights, and opens it. */
function OpenRules({ name, rules, onOpen }: OpenRulesProps) {
  const { rights: messages } = useMessages();
  const summary = useSummary()(rules) || messages.rules;
  return (
    <button
      type="button"
      className={styles['open']}
      aria-label={`${summary}: ${messages.rulesOf(name)}`}
      onClick={onOpen}
    >
      {summary}
    </button>
  );
}
