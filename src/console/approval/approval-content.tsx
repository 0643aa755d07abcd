import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ApprovalContent } from '#contracts/approvals';
import { Notice } from '../design/controls.tsx';
import { ForeignHtml } from '../design/foreign-html.tsx';
import { useMessages } from '../messages/index.ts';
import { collectionQuery, type VisibleCollection } from '../model/schema.ts';
import { FieldValue, titleOf, Value } from '../values/value.tsx';
import { type AgentAddress, isAddressable } from '../wire/agent.ts';
import { own } from '../wire/own.ts';
import { getRecord, projection, type Row } from '../wire/records.ts';
import styles from './approval.module.css';

interface ApprovalContentProps {
  readonly agent: AgentAddress;
  readonly content: ApprovalContent;
}

/** The form values, and the records as they were when somebody asked. */
export function ApprovalContentView({ agent, content }: ApprovalContentProps) {
  const messages = useMessages();
  const { values, records, problem } = content;
  return (
    <>
      {problem !== null && <Notice kind="warning" title={problem} />}
      {Object.keys(values).length > 0 && (
        <section aria-label={messages.approvalForm}>
          <h2>{messages.approvalForm}</h2>
          <dl className={styles['facts']}>
            {Object.entries(values).map(([name, value]) => (
              <FormValue key={name} agent={agent} content={content} name={name} value={value} />
            ))}
          </dl>
        </section>
      )}
      {records.length > 0 && <ShownRecords agent={agent} content={content} />}
      <AnswerView content={content} />
    </>
  );
}

/** What the action answered, for who asked and who may approve it. */
function AnswerView({ content: { result, fileIsWith = '' } }: Pick<ApprovalContentProps, 'content'>) {
  const messages = useMessages();
  if (!result) return null;
  const { type, message = '', html, isHtmlLeftOut, fileName = '', path } = result;
  const title = type === 'file' ? messages.approvalFile(fileName, fileIsWith) : messages.approvalResultKinds[type];
  return (
    <section aria-label={messages.approvalResult}>
      <h2>{messages.approvalResult}</h2>
      <Notice kind={type === 'error' ? 'danger' : 'success'} title={message === '' ? title : message}>
        {type === 'file' && <p>{messages.approvalFileWhy}</p>}
        {path !== undefined && <code>{path}</code>}
        {isHtmlLeftOut && <p>{messages.approvalHtmlLeftOut}</p>}
      </Notice>
      {html !== undefined && <ForeignHtml html={html} />}
    </section>
  );
}

interface FormValueProps extends ApprovalContentProps {
  readonly name: string;
  readonly value: unknown;
}

/** A value under the label that its field has in the form. One that names a record leads there. */
function FormValue({ agent, content: { fields = [] }, name, value }: FormValueProps) {
  const field = fields.find((each) => each.name === name);
  return (
    <>
      <dt>
        <bdi>{field?.label ?? name}</bdi>
      </dt>
      <dd>
        {field?.collection !== undefined && isId(value) ? (
          <RecordName agent={agent} collection={field.collection} id={String(value)} />
        ) : (
          <bdi>
            <Value value={value} type={field?.type ?? typeOf(value)} />
          </bdi>
        )}
      </dd>
    </>
  );
}

function isId(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

/** Of a value that nobody describes. */
function typeOf(value: unknown): string {
  return typeof value === 'object' ? 'Json' : 'String';
}

/** The records, each with a link to what it is now. */
function ShownRecords({ agent, content: { collection: name, records } }: ApprovalContentProps) {
  const messages = useMessages();
  const { data: collection } = useQuery({ ...collectionQuery(agent, name), retry: false });
  const names = [...new Set(records.flatMap((record) => Object.keys(record.values)))];
  return (
    <section aria-label={messages.approvalShown}>
      <h2>{messages.approvalShown}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard. */}
      <div className={styles['scroll']} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{messages.approvalRecord}</th>
              {names.map((each) => (
                <th key={each} scope="col">
                  <bdi>{each}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {records.map(({ id, values }) => (
              <tr key={id}>
                <th scope="row">
                  <RecordName agent={agent} collection={name} id={id} values={values} />
                </th>
                {names.map((each) => (
                  <td key={each}>
                    <ShownValue agent={agent} collection={collection} name={each} value={own(values, each)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface ShownValueProps {
  readonly agent: AgentAddress;
  readonly collection: VisibleCollection | undefined;
  readonly name: string;
  readonly value: unknown;
}

/** A value as the lists show it: a key as the record that it names. */
function ShownValue({ agent, collection, name, value }: ShownValueProps) {
  const field = collection?.fields.find((each) => each.name === name);
  const relation = collection?.relations.find(({ keys }) => keys.length === 1 && keys[0] === name);
  if (relation && isId(value)) return <RecordName agent={agent} collection={relation.collection} id={String(value)} />;
  return <bdi>{field ? <FieldValue value={value} field={field} /> : <Value value={value} type={typeOf(value)} />}</bdi>;
}

interface RecordNameProps {
  readonly agent: AgentAddress;
  readonly collection: string;
  /** Packed. */
  readonly id: string;
  /** What is known of the record already: its title may be among it. */
  readonly values?: Row['values'];
}

/** A link to a record, by its title. Where the reader does not see it, its id stands there. */
function RecordName({ agent, collection: name, id, values = {} }: RecordNameProps) {
  const { data: collection } = useQuery({ ...collectionQuery(agent, name), retry: false });
  const isKnown = collection !== undefined && own(values, collection.title) !== undefined;
  const mayRead = collection?.rights.read === true && isAddressable(id);
  const { data: row = { id, values } } = useQuery({
    queryKey: ['record name', agent.environment, name, id],
    queryFn: ({ signal }) => {
      const paths = [...(collection?.primaryKey ?? []), collection?.title ?? ''];
      return getRecord(agent, name, id, { signal, headers: projection([...new Set(paths)]) });
    },
    enabled: mayRead && !isKnown,
    staleTime: 60_000,
    retry: false,
  });
  const text = <bdi>{collection ? titleOf(row, collection.title) : id}</bdi>;
  if (!mayRead) return text;
  return (
    <Link to="/$environment/data/$collection/$id" params={{ ...agent, collection: name, id }}>
      {text}
    </Link>
  );
}
