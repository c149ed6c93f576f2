// Weft's mark: two threads over and under two others.
export function Mark({ size = 26 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" strokeWidth="3.6" aria-hidden="true">
      <path className="mark-weft" strokeLinecap="round" d="M5 11h22M5 21h22" />
      <path className="mark-gap" d="M21 7v8M11 17v8" />
      <path className="mark-warp" strokeLinecap="round" d="M11 5v22M21 5v22" />
      <path className="mark-gap" d="M7 11h8M17 21h8" />
      <path className="mark-weft" d="M6 11h10M16 21h10" />
    </svg>
  );
}
