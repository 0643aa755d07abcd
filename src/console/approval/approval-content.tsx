import type { ApprovalContent } from '#contracts/approvals';
import { Notice } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import styles from './approval.module.css';

/** The form values, and the records as they were when somebody asked. */
export function ApprovalContentView({ content }: { readonly content: ApprovalContent }) {
  const messages = useMessages();
  const { values, records, problem } = content;
  const names = [...new Set(records.flatMap((record) => Object.keys(record.values)))];
  return (
    <>
      {problem !== null && <Notice kind="warning" title={problem} />}
      {Object.keys(values).length > 0 && (
        <section aria-label={messages.approvalForm}>
          <h2>{messages.approvalForm}</h2>
          <dl className={styles['facts']}>
            {Object.entries(values).map(([name, value]) => (
              <FormValue key={name} name={name} value={value} />
            ))}
          </dl>
        </section>
      )}
      {records.length > 0 && (
        <section aria-label={messages.approvalShown}>
          <h2>{messages.approvalShown}</h2>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard. */}
          <div className={styles['scroll']} tabIndex={0}>
            <table>
              <thead>
                <tr>
                  {names.map((name) => (
                    <th key={name} scope="col">
                      <bdi>{name}</bdi>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {records.map((record) => (
                  <tr key={record.id}>
                    {names.map((name) => (
                      <td key={name}>
                        <bdi>{textOf(record.values[name])}</bdi>
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      )}
    </>
  );
}

function FormValue({ name, value }: { readonly name: string; readonly value: unknown }) {
  return (
    <>
      <dt>
        <bdi>{name}</bdi>
      </dt>
      <dd>
        <bdi>{textOf(value)}</bdi>
      </dd>
    </>
  );
}

const longestText = 300;

/** A value as a line of text. Of a file its name and type are enough. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const file = /^data:([^,]{0,300}),/.exec(text);
  const shown = file ? decodeURIComponent(file[1] ?? '').replace(';base64', '') : text;
  return shown.length > longestText ? `${shown.slice(0, longestText)}…` : shown;
}
