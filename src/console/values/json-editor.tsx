import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { look } from '../design/controls.tsx';

interface JsonEditorProps {
  readonly id: string;
  readonly text: string;
  /** Whether there is no value. Typing makes one. */
  readonly isNull: boolean;
  readonly label: string;
  readonly onChange: (text: string) => void;
}

/** The tokens of the page, which hold in both themes. */
const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--success)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warning)' },
]);
const theme = EditorView.theme({
  '&': { color: 'var(--text)', background: 'var(--background)', border: '1px solid var(--control-line)' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': { color: 'var(--muted)', background: 'var(--raised)', border: '0' },
});

/** An editor for JSON, loaded when one is opened. What was typed is kept as it was typed. */
export function JsonEditor({ id, text, isNull, label, onChange }: JsonEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(undefined);
  const isEmptied = useRef(false);
  const change = useRef(onChange);
  change.current = onChange;
  // The editor keeps its own text; it is made anew only where another field is shown.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what the editor begins with
  useEffect(() => {
    if (!place.current) return;
    // In a shadow tree the editor adds its rules as a sheet. In the page it would write a style element, which the policy refuses.
    const root = place.current.shadowRoot ?? place.current.attachShadow({ mode: 'open' });
    const view = new EditorView({
      doc: text,
      parent: root,
      root,
      extensions: [
        lineNumbers(),
        history(),
        bracketMatching(),
        syntaxHighlighting(colours),
        theme,
        keymap.of([...defaultKeymap, ...historyKeymap]),
        json(),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, id }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged && !isEmptied.current) change.current(state.doc.toString());
        }),
      ],
    });
    editor.current = view;
    return () => view.destroy();
  }, [id, label]);
  // Whoever chooses null leaves no text behind, and typed none.
  useEffect(() => {
    const view = editor.current;
    if (!isNull || !view || view.state.doc.length === 0) return;
    isEmptied.current = true;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length } });
    isEmptied.current = false;
  }, [isNull]);
  return <div ref={place} className={look.wide} />;
}
