import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Button, Buttons, Failure, look, Notice } from '../design/controls.tsx';
import { toast } from '../design/toasts.tsx';
import { useMessages } from '../messages/index.ts';
import styles from './access.module.css';
import { assistantsPage, useAccessTexts } from './access-texts.ts';
import type { ReadAnswer } from './tool-calls.ts';

interface ToolAnswerViewProps {
  readonly answer: ReadAnswer;
  /** Runs the call that waits for a confirmation. */
  readonly onConfirm: (confirmationToken: string) => void;
}

/** What a tool answered: refusals with their next steps, marks, the structured form, and the text that a model gets. */
export function ToolAnswerView({ answer, onConfirm }: ToolAnswerViewProps) {
  const messages = useMessages();
  const texts = useAccessTexts();
  const section = useRef<HTMLElement>(null);
  // An answer below the window looks like none.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer comes into sight
  useEffect(() => void section.current?.scrollIntoView({ block: 'nearest' }), [answer]);
  const { error, untrusted, confirmationToken, value, text } = answer;
  const json = JSON.stringify(value, null, 2) ?? '';
  const copying = useMutation({
    mutationFn: () => navigator.clipboard.writeText(json === '' ? text : json),
    onSuccess: () => toast(messages.copied),
  });
  return (
    <section ref={section} aria-label={texts.answer} className={look.form}>
      <h2>{texts.answer}</h2>
      {error && (
        <Notice title={error.message}>
          {error.nextSteps.map((step) => (
            <p key={step}>{step}</p>
          ))}
          <p className={look.small}>{error.code}</p>
          {error.code === 'MCP_PERSON_REQUIRED' && (
            <p>
              <a href={assistantsPage}>{texts.answerThere}</a>
            </p>
          )}
        </Notice>
      )}
      {!error && answer.isError && <Notice title={texts.toolFailed} />}
      {untrusted.length > 0 && (
        <Notice kind="warning" title={texts.untrusted}>
          <p>
            <bdi>{untrusted.join(', ')}</bdi>
          </p>
        </Notice>
      )}
      {confirmationToken !== undefined && (
        <Notice kind="warning" title={texts.wantsConfirmation}>
          <div>
            <Button look="danger" onClick={() => onConfirm(confirmationToken)}>
              {texts.confirm}
            </Button>
          </div>
        </Notice>
      )}
      {json !== '' && <Answer text={json} />}
      <details>
        <summary>{texts.textForm}</summary>
        <Answer text={text} />
      </details>
      {copying.error && <Failure error={copying.error} />}
      <Buttons>
        <Button onClick={() => copying.mutate()}>{messages.copy}</Button>
      </Buttons>
    </section>
  );
}

function Answer({ text }: { readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard.
    <pre className={styles['answer']} tabIndex={0}>
      {text}
    </pre>
  );
}
