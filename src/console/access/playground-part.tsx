import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Empty, look } from '../design/controls.tsx';
import { timeText } from '../values/time-text.ts';
import styles from './access.module.css';
import { useAccessTexts } from './access-texts.ts';
import { type MadeCall, type Tool, type ToolArguments, toolsQuery } from './tool-calls.ts';
import { ToolForm } from './tool-form.tsx';

const keptCalls = 20;

/** The tools of the MCP server, to be tried as the person who is signed in. */
export function PlaygroundPart() {
  const texts = useAccessTexts();
  const { environment } = useParams({ from: '/$environment/access/{-$part}' });
  const { data: tools } = useSuspenseQuery(toolsQuery({ environment }));
  const [shown, setShown] = useState<{ readonly tool: string; readonly sent: ToolArguments; readonly id: number }>();
  const [calls, setCalls] = useState<readonly MadeCall[]>([]);
  if (tools === null) return <Empty title={texts.noServer} why={texts.noServerWhy} />;
  const tool = tools.find(({ name }) => name === shown?.tool) ?? tools[0];
  if (!tool) return <Empty title={texts.noTools} why={texts.noToolsWhy} />;
  const note = (call: Omit<MadeCall, 'id'>) =>
    setCalls((made) => [{ ...call, id: (made[0]?.id ?? 0) + 1 }, ...made].slice(0, keptCalls));
  return (
    <>
      <p className={look.small}>{texts.playgroundWhy}</p>
      <ToolChoice tools={tools} chosen={tool} onChoose={(name) => setShown({ tool: name, sent: {}, id: 0 })} />
      <ToolForm
        key={`${tool.name} ${shown?.id ?? 0}`}
        environment={environment}
        tool={tool}
        sent={shown?.tool === tool.name ? shown.sent : {}}
        onCalled={note}
      />
      {calls.length > 0 && (
        <section aria-label={texts.madeCalls} className={look.form}>
          <h2>{texts.madeCalls}</h2>
          <ul className={styles['sentences']}>
            {calls.map((call) => (
              <li key={call.id} data-failed={call.isError}>
                <button type="button" className={look.choice} onClick={() => setShown(call)}>
                  <span>
                    {timeText(call.at)} · <bdi>{call.tool}</bdi>
                    {call.isError && ` · ${texts.refused}`}
                  </span>
                  <code className={styles['cut']}>{JSON.stringify(call.sent)}</code>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

interface ToolChoiceProps {
  readonly tools: readonly Tool[];
  readonly chosen: Tool;
  readonly onChoose: (name: string) => void;
}

function ToolChoice({ tools, chosen, onChoose }: ToolChoiceProps) {
  const texts = useAccessTexts();
  return (
    <label>
      {texts.tool}
      <select className={look.input} value={chosen.name} onChange={({ target }) => onChoose(target.value)}>
        {tools.map((tool) => (
          <option key={tool.name} value={tool.name}>
            {tool.name} · {tool.annotations?.readOnlyHint === true ? texts.reads : texts.changes}
          </option>
        ))}
      </select>
    </label>
  );
}
