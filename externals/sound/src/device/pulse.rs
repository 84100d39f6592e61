//! PulseAudio and PipeWire, by their protocol over a Unix socket.
//!
//! The thread of the socket only copies from a ring, which the mixing thread keeps filled. It asks for a latency of 30 ms; when
//! the ring runs dry, it is filled further, by 10 ms each time.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use pulseaudio::protocol::stream::{BufferAttr, StreamFlags};
use pulseaudio::protocol::{ChannelMap, DEFAULT_SINK, PlaybackStreamParams, Prop, Props, SampleFormat, SampleSpec};
use pulseaudio::{AsPlaybackSource, Client, ClientError, PlaybackStream};

use crate::device::{Device, DeviceError};
use crate::limits::{BLOCK_FRAMES, SAMPLE_RATE};
use crate::ring::Ring;

const FRAME_BYTES: u32 = 8;
const MILLISECOND: u32 = SAMPLE_RATE / 1000;

/// The latency that is asked for, and the least request, in frames.
const LATENCY: u32 = 30 * MILLISECOND;
const REQUEST: u32 = 10 * MILLISECOND;

/// How far the ring is filled: at first, more after each underrun, and at most.
const FILL_FIRST: u32 = 20 * MILLISECOND;
const FILL_MORE: u32 = 10 * MILLISECOND;
const FILL_MAX: u32 = 120 * MILLISECOND;

/// How long the server may take to answer.
const ANSWER: Duration = Duration::from_secs(3);

/// A stream to a sound server.
#[derive(Debug)]
pub struct PulseDevice {
    name: String,
    shared: Arc<Shared>,
    /// Closes the stream when dropped, before the client.
    stream: PlaybackStream,
    _client: Client,
}

/// What the mixing thread and the thread of the socket share.
#[derive(Debug)]
struct Shared {
    ring: Ring,
    /// The frames up to which the ring is filled.
    fill: AtomicU32,
    underruns: AtomicU64,
    has_begun: AtomicBool,
    is_gone: AtomicBool,
    mixing: Thread,
}

/// Dropped with the stream's source: then the connection has ended.
struct Presence(Arc<Shared>);

impl Drop for Presence {
    fn drop(&mut self) {
        self.0.is_gone.store(true, Ordering::Release);
        self.0.mixing.unpark();
    }
}

impl PulseDevice {
    /// Connects to the server of the environment. To be called on the mixing thread, which is woken when samples are needed.
    pub fn open() -> Result<PulseDevice, DeviceError> {
        let client = Client::from_env(c"Astrarium").map_err(refusal)?;
        let info = answer(client.server_info())?;
        let shared = Arc::new(Shared {
            ring: Ring::new(2 * (FILL_MAX as usize + 2 * BLOCK_FRAMES)),
            fill: AtomicU32::new(FILL_FIRST),
            underruns: AtomicU64::new(0),
            has_begun: AtomicBool::new(false),
            is_gone: AtomicBool::new(false),
            mixing: thread::current(),
        });
        let presence = Presence(Arc::clone(&shared));
        let source = move |out: &mut [u8]| presence.0.copy(out);
        let stream = answer(client.create_playback_stream(parameters(), source.as_playback_source()))?;
        let server = info.server_name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Ok(PulseDevice { name: format!("sound server {server}"), shared, stream, _client: client })
    }
}

impl Device for PulseDevice {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn wait(&mut self) -> Result<usize, DeviceError> {
        for is_last in [false, true] {
            if self.shared.is_gone.load(Ordering::Acquire) {
                return Err(DeviceError::Gone);
            }
            if self.shared.ring.filled() < 2 * self.shared.fill.load(Ordering::Relaxed) as usize {
                return Ok(BLOCK_FRAMES);
            }
            if !is_last {
                thread::park_timeout(Duration::from_millis(5));
            }
        }
        Ok(0)
    }

    fn write(&mut self, samples: &[f32]) -> Result<(), DeviceError> {
        self.shared.ring.write(samples);
        Ok(())
    }

    fn latency(&self) -> f32 {
        let server = self.stream.buffer_attr().target_length / FRAME_BYTES;
        (server + self.shared.fill.load(Ordering::Relaxed)) as f32 / SAMPLE_RATE as f32
    }

    fn underruns(&self) -> u64 {
        self.shared.underruns.load(Ordering::Relaxed)
    }
}

impl Shared {
    /// Copies samples for the server; silence where there are none. Returning nothing would end the stream.
    fn copy(&self, out: &mut [u8]) -> usize {
        let (samples, _) = out.as_chunks_mut::<4>();
        let wanted = samples.len();
        let read = self.ring.read(|index, sample| samples[index] = sample.to_le_bytes(), wanted);
        samples[read..].fill([0; 4]);
        let is_dry = read < wanted;
        // The first requests come before anything was mixed.
        if self.has_begun.load(Ordering::Relaxed) && is_dry {
            self.underruns.fetch_add(1, Ordering::Relaxed);
            let fill = self.fill.load(Ordering::Relaxed);
            self.fill.store((fill + FILL_MORE).min(FILL_MAX), Ordering::Relaxed);
        }
        if read > 0 {
            self.has_begun.store(true, Ordering::Relaxed);
        }
        self.mixing.unpark();
        out.len()
    }
}

fn parameters() -> PlaybackStreamParams {
    let mut props = Props::new();
    props.set(Prop::MediaName, c"game");
    props.set(Prop::MediaRole, c"game");
    PlaybackStreamParams {
        sample_spec: SampleSpec { format: SampleFormat::Float32Le, channels: 2, sample_rate: SAMPLE_RATE },
        channel_map: ChannelMap::stereo(),
        sink_name: Some(DEFAULT_SINK.to_owned()),
        buffer_attr: BufferAttr {
            target_length: LATENCY * FRAME_BYTES,
            minimum_request_length: REQUEST * FRAME_BYTES,
            ..BufferAttr::default()
        },
        flags: StreamFlags { adjust_latency: true, ..StreamFlags::default() },
        props,
        ..PlaybackStreamParams::default()
    }
}

fn refusal(error: ClientError) -> DeviceError {
    match error {
        ClientError::ServerUnavailable => DeviceError::None("neither PulseAudio nor PipeWire is running"),
        ClientError::Disconnected => DeviceError::Gone,
        ClientError::Io(error) => DeviceError::Refused(format!("the connection failed: {error}")),
        other => DeviceError::Refused(other.to_string()),
    }
}

struct ThreadWaker(Thread);

impl Wake for ThreadWaker {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for an answer of the server, not for ever.
fn answer<T>(asked: impl Future<Output = Result<T, ClientError>>) -> Result<T, DeviceError> {
    let mut asked = pin!(asked);
    let waker = Waker::from(Arc::new(ThreadWaker(thread::current())));
    let end = Instant::now() + ANSWER;
    loop {
        if let Poll::Ready(answer) = asked.as_mut().poll(&mut Context::from_waker(&waker)) {
            return answer.map_err(refusal);
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(DeviceError::Silent);
        }
        thread::park_timeout(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_gets_samples_or_silence_and_underruns_widen_the_buffer() {
        let shared = Shared {
            ring: Ring::new(1000),
            fill: AtomicU32::new(FILL_FIRST),
            underruns: AtomicU64::new(0),
            has_begun: AtomicBool::new(false),
            is_gone: AtomicBool::new(false),
            mixing: thread::current(),
        };
        let mut out = [1_u8; 16];
        assert_eq!(shared.copy(&mut out), 16);
        assert_eq!((out, shared.underruns.load(Ordering::Relaxed)), ([0; 16], 0));
        shared.ring.write(&[0.5, -0.5, 0.25]);
        shared.copy(&mut out);
        assert_eq!(out[..4], 0.5_f32.to_le_bytes());
        assert_eq!(out[12..], [0; 4]);
        shared.copy(&mut out);
        assert_eq!(shared.underruns.load(Ordering::Relaxed), 1);
        assert_eq!(shared.fill.load(Ordering::Relaxed), FILL_FIRST + FILL_MORE);
    }

    #[test]
    fn an_answer_that_is_there_is_returned() {
        assert!(matches!(answer(async { Ok(7) }), Ok(7)));
        assert!(matches!(answer(async { Err::<(), _>(ClientError::Disconnected) }), Err(DeviceError::Gone)));
    }
}
