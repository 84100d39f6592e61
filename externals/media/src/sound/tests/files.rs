//! Sound files, written by hand or by an encoder.

/// A WAVE file with 16 bits per sample, and further chunks behind the samples.
pub fn wav(rate: u32, channels: u16, samples: &[i16], chunks: &[u8]) -> Vec<u8> {
    let data = samples.len() as u32 * 2;
    let mut bytes = b"RIFF".to_vec();
    bytes.extend((36 + data + chunks.len() as u32).to_le_bytes());
    bytes.extend(b"WAVEfmt \x10\0\0\0\x01\0");
    bytes.extend(channels.to_le_bytes());
    bytes.extend(rate.to_le_bytes());
    bytes.extend((rate * u32::from(channels) * 2).to_le_bytes());
    bytes.extend((channels * 2).to_le_bytes());
    bytes.extend([16, 0]);
    bytes.extend(b"data");
    bytes.extend(data.to_le_bytes());
    bytes.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
    bytes.extend(chunks);
    bytes
}

/// A `smpl` chunk with one loop; `last` is its last frame.
pub fn sampler(first: u32, last: u32) -> Vec<u8> {
    let mut bytes = b"smpl".to_vec();
    let numbers = [60, 0, 0, 0, 60, 0, 0, 0, 1, 0, 0, 0, first, last, 0, 0];
    bytes.extend(numbers.iter().flat_map(|number: &u32| number.to_le_bytes()));
    bytes
}

/// An AIFF file with 16 bits per sample, and further chunks before the samples.
pub fn aiff(rate: u32, channels: u16, samples: &[i16], chunks: &[u8]) -> Vec<u8> {
    let data = samples.len() as u32 * 2;
    let mut bytes = b"FORM".to_vec();
    bytes.extend((4 + 26 + 16 + data + chunks.len() as u32).to_be_bytes());
    bytes.extend(b"AIFFCOMM\0\0\0\x12");
    bytes.extend(channels.to_be_bytes());
    bytes.extend((samples.len() as u32 / u32::from(channels)).to_be_bytes());
    bytes.extend([0, 16]);
    // The rate is a float of 80 bits.
    let exponent = 31 - rate.leading_zeros();
    bytes.extend((16_383 + exponent as u16).to_be_bytes());
    bytes.extend((u64::from(rate) << (63 - exponent)).to_be_bytes());
    bytes.extend(chunks);
    bytes.extend(b"SSND");
    bytes.extend((data + 8).to_be_bytes());
    bytes.extend([0; 8]);
    bytes.extend(samples.iter().flat_map(|sample| sample.to_be_bytes()));
    bytes
}

/// The `MARK` and `INST` chunks of a sustain loop.
pub fn markers(first: u32, end: u32) -> Vec<u8> {
    let mut bytes = b"MARK\0\0\0\x14\0\x02".to_vec();
    for (id, place, name) in [(3u16, first, b"\x02in\0"), (4, end, b"\x02ou\0")] {
        bytes.extend(id.to_be_bytes());
        bytes.extend(place.to_be_bytes());
        bytes.extend(name);
    }
    bytes[7] = (bytes.len() - 8) as u8;
    bytes.extend(b"INST\0\0\0\x14\x3c\0\0\x7f\0\x7f\0\0\0\x01\0\x03\0\x04\0\0\0\0\0\0");
    bytes
}

/// A FLAC file of one frame with samples stored as they are.
pub fn flac(rate: u32, samples: &[i16]) -> Vec<u8> {
    let count = samples.len() as u16;
    let mut bytes = b"fLaC\x80\0\0\x22".to_vec();
    bytes.extend(count.to_be_bytes());
    bytes.extend(count.to_be_bytes());
    bytes.extend([0; 6]);
    // 20 bits of rate, 3 of channels, 5 of bits per sample, 36 of frames.
    let packed = u64::from(rate) << 44 | 15 << 36 | samples.len() as u64;
    bytes.extend(packed.to_be_bytes());
    bytes.extend([0; 16]);
    let start = bytes.len();
    // Fixed block size, given in 16 bits; the rate of the file; mono; 16 bits per sample; frame 0.
    bytes.extend([0xff, 0xf8, 0x70, 0x08, 0]);
    bytes.extend((count - 1).to_be_bytes());
    let check = bytes[start..].iter().fold(0u8, |crc, byte| {
        (0..8).fold(crc ^ byte, |crc, _| if crc & 0x80 == 0 { crc << 1 } else { crc << 1 ^ 0x07 })
    });
    bytes.push(check);
    bytes.push(0b10);
    bytes.extend(samples.iter().flat_map(|sample| sample.to_be_bytes()));
    let check = bytes[start..].iter().fold(0u16, |crc, byte| {
        let crc = crc ^ u16::from(*byte) << 8;
        (0..8).fold(crc, |crc, _| if crc & 0x8000 == 0 { crc << 1 } else { crc << 1 ^ 0x8005 })
    });
    bytes.extend(check.to_be_bytes());
    bytes
}

pub fn mp3(rate: u32, channels: u16, samples: &[f32]) -> Vec<u8> {
    let mut encoder = rusty_mp3::Mp3Encoder::new(rusty_mp3::Mp3EncoderConfig { bitrate_kbps: 128, vbr_quality: None });
    encoder.push_pcm_f32(samples, channels, rate).unwrap();
    encoder.finish();
    let mut bytes = Vec::new();
    while let Ok(packet) = encoder.next_packet() {
        bytes.extend(packet);
    }
    bytes
}

/// A stereo Ogg file with one packet on each page. Each packet can be changed before its checksum is taken.
pub fn ogg(rate: u32, samples: &[f32], mut change: impl FnMut(&mut [u8])) -> Vec<u8> {
    let mut encoder = rusty_vorbis::VorbisEncoder::new(rusty_vorbis::VorbisEncoderConfig::default());
    encoder.push_pcm_f32(samples, 2, rate).unwrap();
    encoder.finish();
    let mut packets = Vec::new();
    while let Ok(mut packet) = encoder.next_packet() {
        change(&mut packet.data);
        packets.push(packet);
    }
    let mut bytes = Vec::new();
    for (index, packet) in packets.iter().enumerate() {
        let start = bytes.len();
        let flags = if index == 0 {
            2
        } else if index + 1 == packets.len() {
            4
        } else {
            0
        };
        bytes.extend(b"OggS\0");
        bytes.push(flags);
        bytes.extend(packet.pts.to_le_bytes());
        bytes.extend(7u32.to_le_bytes());
        bytes.extend((index as u32).to_le_bytes());
        bytes.extend([0; 4]);
        let segments = packet.data.len() / 255 + 1;
        bytes.push(segments as u8);
        bytes.extend(std::iter::repeat_n(255, segments - 1));
        bytes.push((packet.data.len() % 255) as u8);
        bytes.extend(&packet.data);
        let check = bytes[start..].iter().fold(0u32, |crc, byte| {
            let crc = crc ^ u32::from(*byte) << 24;
            (0..8).fold(crc, |crc, _| if crc >> 31 == 0 { crc << 1 } else { crc << 1 ^ 0x04c1_1db7 })
        });
        bytes[start + 22..start + 26].copy_from_slice(&check.to_le_bytes());
    }
    bytes
}
