import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Me } from '#contracts/identity';
import { Button, Buttons, Dialog, Failure, look, Notice } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { mayReadRights, meQuery } from '../model/me.ts';
import { rightsQuery } from '../model/rights.ts';
import { askAgent } from '../wire/agent.ts';
import type { RequestFailed } from '../wire/http.ts';
import { type FileLine, lineInFile, type RightName, rightNames } from './rights-draft.ts';

interface Verdict {
  readonly isAllowed: boolean;
  readonly because: string;
}

/** What the agent says about the rights of whoever asks. Conditions, fields, and actions that they may not run are for administrators and developers. */
interface ExplainedRights {
  /** `roles` is empty for somebody who has no other than `role`. */
  readonly user: { readonly role: string | null; readonly roles: readonly { readonly name: string }[] };
  readonly rights: readonly (Verdict & { readonly right: RightName; readonly condition?: string | null })[];
  /** `isUntold`: there is a condition, which the person may not know. */
  readonly scope?: Partial<Verdict> & {
    readonly condition?: string | null;
    readonly isUntold?: boolean;
    readonly unknownBecause?: string;
  };
  readonly actions: readonly {
    readonly action: string;
    readonly trigger: Verdict;
    readonly triggerConditions?: readonly string[];
    readonly needsApproval: 'never' | 'always' | 'conditional';
  }[];
  readonly fields?: readonly { readonly field: string; readonly because: string }[];
}

/** What a refused request was about. */
interface Subject {
  readonly environment: string;
  readonly collection: string;
  /** The end of the path of an action. */
  readonly action?: string;
}

/** Parts of the agent whose addresses go on with a collection. */
const internalOfCollections: ReadonlySet<string> = new Set([
  ...['schema', 'explain', 'explain-rights', 'values', 'import', 'history', 'notes'],
]);

function subjectOf({ asked }: RequestFailed): Subject | undefined {
  const [first, second, ...rest] = asked?.parts ?? [];
  if (!asked || first === undefined) return undefined;
  const { environment } = asked;
  if (first === '_actions' && second !== undefined) {
    return { environment, collection: second, action: rest.join('/').replace(/\/hooks\/\w+$/u, '') };
  }
  if (first === '_internal') {
    const isOfCollection = second !== undefined && internalOfCollections.has(second);
    return isOfCollection && rest[0] !== undefined ? { environment, collection: rest[0] } : undefined;
  }
  return first.startsWith('_') ? undefined : { environment, collection: first.replace(/\.(?:csv|xlsx)$/u, '') };
}

/** A button beside a refusal that says which rights the person has, and why. */
export function WhyRefused({ refusal }: { readonly refusal: RequestFailed }) {
  const { rights: messages } = useMessages();
  const [isOpen, setOpen] = useState(false);
  const subject = subjectOf(refusal);
  if (!subject) return null;
  return (
    <div>
      <Button onClick={() => setOpen(true)}>{messages.why}</Button>
      {isOpen && <RightsDialog subject={subject} refusal={refusal} onClose={() => setOpen(false)} />}
    </div>
  );
}

interface RightsDialogProps {
  readonly subject: Subject;
  /** What was refused; absent where somebody asks before they try. */
  readonly refusal?: RequestFailed;
  /** Nobody writes the collection, whatever rights they have. */
  readonly isReadOnly?: boolean;
  readonly onClose: () => void;
}

/** What the person may do with a collection, and why: after a refusal, or before they try. */
export function RightsDialog({ subject, refusal, isReadOnly, onClose }: RightsDialogProps) {
  const { rights: messages, close, loading } = useMessages();
  const { environment, collection, action } = subject;
  const { data: person } = useSuspenseQuery(meQuery);
  const { data, error } = useQuery({
    queryKey: ['explained rights', environment, collection, action],
    queryFn: ({ signal }) =>
      askAgent<ExplainedRights>({ environment }, ['_internal', 'explain-rights', collection], { action }, { signal }),
    staleTime: 0,
    gcTime: 0,
  });
  const title = person.impersonation ? messages.rightsOf(person.user.name, collection) : messages.whyOn(collection);
  return (
    <Dialog title={title} onClose={onClose}>
      {refusal && <p>{refusal.message}</p>}
      {person.impersonation && (
        <Notice kind="warning" title={messages.onlySeen(person.user.name)}>
          <p>{messages.onlySeenWhy}</p>
        </Notice>
      )}
      {isReadOnly && <p>{messages.readOnlyCollection}</p>}
      {error && <Failure error={error} />}
      {data ? <Verdicts explained={data} subject={subject} person={person} /> : !error && <p>{loading}</p>}
      <Buttons>
        {mayReadRights(person) && (
          <Link className={look.button} to="/$environment/rights" params={{ environment }}>
            {messages.open}
          </Link>
        )}
        <Button onClick={onClose}>{close}</Button>
      </Buttons>
    </Dialog>
  );
}

interface VerdictsProps {
  readonly explained: ExplainedRights;
  readonly subject: Subject;
  readonly person: Me;
}

function Verdicts({ explained, subject: { environment, collection }, person }: VerdictsProps) {
  const { rights: messages } = useMessages();
  const { data: held } = useQuery({ ...rightsQuery({ environment }), enabled: mayReadRights(person) });
  const { role, roles: several } = explained.user;
  const roles = several.length > 0 || role === null ? several.map(({ name }) => name) : [role];
  const linesOf = (right: RightName) =>
    held?.document ? roles.map((role) => lineInFile(held.document ?? { roles: {} }, role, collection, right)) : [];
  const { rights, actions, scope, fields } = explained;
  const lacksSome = [...rights, ...actions.map(({ trigger }) => trigger)].some(({ isAllowed }) => !isAllowed);
  return (
    <>
      {roles.length > 0 && <p>{messages.rolesOf(roles.join(', '))}</p>}
      <div className={look.scroll}>
        <table className={look.table}>
          <tbody>
            {rights
              .toSorted((first, second) => rightNames.indexOf(first.right) - rightNames.indexOf(second.right))
              .map(({ right, condition, ...verdict }) => (
                <VerdictRow
                  key={right}
                  name={messages.names[right]}
                  verdict={verdict}
                  conditions={condition ? [condition] : []}
                  lines={linesOf(right)}
                />
              ))}
            {actions.map(({ action, trigger, triggerConditions = [], needsApproval }) => (
              <VerdictRow
                key={`action ${action}`}
                name={messages.actionNamed(action)}
                verdict={trigger}
                conditions={triggerConditions}
                approval={messages.approvalNeeded[needsApproval]}
                lines={[]}
              />
            ))}
          </tbody>
        </table>
      </div>
      {fields === undefined && <p className={look.small}>{messages.actionsUnnamed}</p>}
      {scope?.condition && <p>{messages.yourRecords(scope.condition)}</p>}
      {scope?.isUntold && <p>{messages.yourRecordsUntold}</p>}
      {scope?.isAllowed === false && <p>{scope.because}</p>}
      {fields?.map(({ field, because }) => (
        <p key={field} className={look.small}>
          {messages.fieldNamed(field)}: {because}
        </p>
      ))}
      {lacksSome && <p>{mayReadRights(person) ? messages.giveYourself : messages.askWhom}</p>}
    </>
  );
}

interface VerdictRowProps {
  readonly name: string;
  readonly verdict: Verdict;
  readonly conditions: readonly string[];
  /** Whether the action waits for somebody else. */
  readonly approval?: string;
  readonly lines: readonly FileLine[];
}

function VerdictRow({ name, verdict: { isAllowed, because }, conditions, approval, lines }: VerdictRowProps) {
  const { rights: messages } = useMessages();
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{isAllowed ? messages.extents.all : messages.extents.none}</td>
      <td>
        {because}
        {conditions.map((condition) => (
          <p key={condition} className={look.small}>
            {messages.onlyWhere(condition)}
          </p>
        ))}
        {isAllowed && approval && <p className={look.small}>{approval}</p>}
        {lines.map(({ path, line }) => (
          <p key={path.join()} className={look.small}>
            {messages.lineOf(path.join(' › '), line)}
          </p>
        ))}
      </td>
    </tr>
  );
}
