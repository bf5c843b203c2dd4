import { useEffect, useRef, useState } from 'react';
import styles from './frame.module.css';

/** Announces the title of an opened page to screen readers. */
export function PageAnnouncement({ path }: { readonly path: string }) {
  const [said, setSaid] = useState('');
  const shown = useRef(path);
  useEffect(() => {
    if (path === shown.current) return;
    shown.current = path;
    const titles = new MutationObserver(() => {
      titles.disconnect();
      setSaid(document.title);
    });
    const title = document.querySelector('title');
    if (title) titles.observe(title, { childList: true });
    return () => titles.disconnect();
  }, [path]);
  return (
    <p role="status" className={styles.announcement}>
      {said}
    </p>
  );
}
