import type { PermissionFile, RoleCollection } from '#contracts/permission-file';
import { look } from '../design/controls.tsx';
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
  return (
    <div className={styles['scroll']}>
      <table className={styles['table']}>
        <thead>
          <tr>
            <th scope="col">{messages.collection}</th>
            {rightNames.map((right) => (
              <th key={right} scope="col">
                {messages.names[right]}
              </th>
            ))}
            <th scope="col">{messages.rules}</th>
          </tr>
        </thead>
        <tbody>
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
                  {seen.kind === 'role' && (
                    <OpenRules
                      name={name}
                      rules={rulesOf(document, seen.role, collection)}
                      onOpen={() => onOpen(collection)}
                    />
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
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

/** Says what there is beside the rights, and opens it. */
function OpenRules({ name, rules, onOpen }: OpenRulesProps) {
  const { rights: messages } = useMessages();
  const [actions, fields] = [rules?.actions, rules?.fields].map((named) => Object.keys(named ?? {}).length);
  const parts = [
    ...(rules?.scope ? [messages.scope] : []),
    ...(actions ? [messages.actions(actions)] : []),
    ...(fields ? [messages.fields(fields)] : []),
  ];
  const summary = parts.length > 0 ? parts.join(', ') : messages.rules;
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
